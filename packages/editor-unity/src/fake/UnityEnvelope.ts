/**
 * The answers of `unity`: what stands around a result, and the shapes that a failure has.
 */
import type { UnityState } from "./UnityState.ts"

/** The version of Unity's package. */
const version = "5.5.0"

export const envelope = (id: string | null, result: unknown, { isPlaying, isPaused }: UnityState) => ({
  id,
  status: "success",
  result,
  editorState: { isPlaying, isPaused, version, timestamp: new Date().toISOString() },
})

/** What Unity answers with where it cannot read a request: the cause stands where the id should. */
export const unreadable = (cause: string, error: string) => ({ id: cause, status: "error", error, code: null })

type Shape = (id: string | null, state: UnityState) => object

/** A failure inside a success. */
const result =
  (value: object): Shape =>
  (id, state) =>
    envelope(id, value, state)

const failure =
  (error: string | null, code: string, more: object = {}): Shape =>
  (id) => ({ id, status: "error", error, code, ...more })

/**
 * The faults that are shapes of an answer, the first of which stands where several are set. Beside failures inside a success:
 * - `status-error`: a failure with a code and details; `null-error`: one whose text is `null`
 * - `unknown-command`, `play-mode-blocked`: with these codes
 * - `parse-error`: no command could be read
 * - `older-envelope`: a success as older packages write it; `with-warnings`: one with warnings
 */
const shapes = {
  "result-error": result({
    error: "GameObject not found: /Nothing",
    code: "NOT_FOUND",
    details: { path: "/Nothing" },
  }),
  "result-error-object": result({
    error: { message: "Group not found", solution: "Create the group first", context: { groupName: "Levels" } },
  }),
  "result-success-false": result({
    success: false,
    results: [{ success: true }, { success: false, error: "Key not found: F99" }],
  }),
  "result-success-false-message": result({
    success: false,
    message: "Addressables is not installed",
    solution: "Install com.unity.addressables",
  }),
  "result-status-error": result({ status: "error", message: "The runner stopped", code: "RUNNER_TIMEOUT" }),
  "result-data-success-false": result({ data: { success: false, errors: ["Build failed: no scenes"] } }),
  "status-error": failure("Confirm the change first", "CONFIRMATION_REQUIRED", {
    details: { confirm: "confirmChanges" },
  }),
  "null-error": failure(null, "INTERNAL_ERROR"),
  "unknown-command": failure("Unknown command", "UNKNOWN_COMMAND"),
  "play-mode-blocked": failure("Not possible in play mode", "PLAY_MODE_BLOCKED"),
  "parse-error": () => unreadable("Invalid command format", "PARSE_ERROR"),
  "older-envelope": (id) => ({ id, success: true, status: "success", data: { message: "done" } }),
  "with-warnings": (id, state) => ({
    ...envelope(id, { message: "done" }, state),
    warnings: ["The scene is not saved"],
  }),
} satisfies Readonly<Record<string, Shape>>

type Variant = keyof typeof shapes

export const variants = Object.keys(shapes) as ReadonlyArray<Variant>

export const variantsOf = (id: string | null, state: UnityState): Readonly<Record<string, string>> =>
  Object.fromEntries(variants.map((name) => [name, JSON.stringify(shapes[name](id, state))]))
