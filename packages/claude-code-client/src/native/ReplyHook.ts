/**
 * Receives the reply that `SendMessage` does not return, through Claude Code's hooks.
 *
 * A `SubagentStop` hook writes the agent's last message into a private directory before `SendMessage` returns. The hook is set
 * on the command line with `--settings`; no file of the user is read or changed.
 *
 * @see Claude Code 2.1.329: measured, the file existed in time in each of fifteen runs
 */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"

/** The variable with the directory that the hooks write to. */
const directoryName = "ZAIN_HOOKS"

/** Renames a complete file, so that a reader never sees a part of it. */
const command = `f="$${directoryName}/$$" && cat > "$f.part" && mv "$f.part" "$f.json"`

const hook = [{ hooks: [{ type: "command", command }] }]

/** The value of `--settings`. It turns hooks on even if the user's settings turn them off. */
export const settings = { disableAllHooks: false, hooks: { SubagentStart: hook, SubagentStop: hook } }

/** The hooks of one session. */
export interface ReplyHook {
  /** The variable that the hooks require in Claude Code's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Waits up to 2 seconds for this agent's last message; `undefined` if none arrives. */
  readonly take: (agentId: string) => Effect.Effect<string | undefined>
  /** The agent that was started, if the hooks reported exactly one. */
  readonly started: () => string | undefined
  /** Removes everything that the hooks have written so far. */
  readonly clear: () => void
}

/** @param directory a private directory, for the hooks of one session */
export const make = (directory: string): ReplyHook => {
  const payloads = () => files(directory).flatMap((name) => payload(join(directory, name)))
  const clear = () => {
    for (const name of files(directory)) rmSync(join(directory, name), { force: true })
  }
  return {
    env: { [directoryName]: directory },
    started: () => {
      const starts = payloads().filter((event) => event["hook_event_name"] === "SubagentStart")
      const agentId = starts.length === 1 ? starts[0]?.["agent_id"] : undefined
      return typeof agentId === "string" ? agentId : undefined
    },
    take: (agentId) =>
      Effect.sync(() => {
        const stop = payloads().findLast(
          (event) => event["hook_event_name"] === "SubagentStop" && event["agent_id"] === agentId,
        )
        const text = stop?.["last_assistant_message"]
        return typeof text === "string" ? Option.some(text) : Option.none()
      }).pipe(
        Effect.flatMap(Effect.fromOption),
        Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "2 seconds" }))),
        Effect.ensuring(Effect.sync(clear)),
        Effect.orElseSucceed(() => undefined),
      ),
    clear,
  }
}

/** The files of the hooks, the oldest first. Their names are process ids, which wrap around. */
const files = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ name, at: statSync(join(directory, name)).mtimeMs }))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name)
  } catch {
    return []
  }
}

const payload = (path: string): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"))
    return isRecord(value) ? [value] : []
  } catch {
    return []
  }
}
