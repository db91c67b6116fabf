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

/** The results of failures inside a success, by the names of their faults. */
const failedResults = {
  "result-error": { error: "GameObject not found: /Nothing", code: "NOT_FOUND", details: { path: "/Nothing" } },
  "result-error-object": {
    error: { message: "Group not found", solution: "Create the group first", context: { groupName: "Levels" } },
  },
  "result-success-false": {
    success: false,
    results: [{ success: true }, { success: false, error: "Key not found: F99" }],
  },
  "result-success-false-message": {
    success: false,
    message: "Addressables is not installed",
    solution: "Install com.unity.addressables",
  },
  "result-status-error": { status: "error", message: "The runner stopped", code: "RUNNER_TIMEOUT" },
  "result-data-success-false": { data: { success: false, errors: ["Build failed: no scenes"] } },
} as const

/**
 * The faults that are shapes of an answer. Beside failures inside a success:
 * - `status-error`: a failure with a code and details; `null-error`: one whose text is `null`
 * - `unknown-command`, `play-mode-blocked`: with these codes
 * - `parse-error`: no command could be read
 * - `older-envelope`: a success as older packages write it; `with-warnings`: one with warnings
 */
export const variants = [
  ...(Object.keys(failedResults) as ReadonlyArray<keyof typeof failedResults>),
  "status-error",
  "null-error",
  "unknown-command",
  "play-mode-blocked",
  "parse-error",
  "older-envelope",
  "with-warnings",
] as const

export const variantsOf = (
  id: string | null,
  state: UnityState,
): Readonly<Record<(typeof variants)[number], string>> => {
  const failure = (error: string | null, code: string) => JSON.stringify({ id, status: "error", error, code })
  const result = (name: keyof typeof failedResults) => JSON.stringify(envelope(id, failedResults[name], state))
  return {
    "result-error": result("result-error"),
    "result-error-object": result("result-error-object"),
    "result-success-false": result("result-success-false"),
    "result-success-false-message": result("result-success-false-message"),
    "result-status-error": result("result-status-error"),
    "result-data-success-false": result("result-data-success-false"),
    "status-error": JSON.stringify({
      id,
      status: "error",
      error: "Confirm the change first",
      code: "CONFIRMATION_REQUIRED",
      details: { confirm: "confirmChanges" },
    }),
    "null-error": failure(null, "INTERNAL_ERROR"),
    "unknown-command": failure("Unknown command", "UNKNOWN_COMMAND"),
    "play-mode-blocked": failure("Not possible in play mode", "PLAY_MODE_BLOCKED"),
    "parse-error": JSON.stringify(unreadable("Invalid command format", "PARSE_ERROR")),
    "older-envelope": JSON.stringify({ id, success: true, status: "success", data: { message: "done" } }),
    "with-warnings": JSON.stringify({
      ...envelope(id, { message: "done" }, state),
      warnings: ["The scene is not saved"],
    }),
  }
}
