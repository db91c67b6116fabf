/**
 * The reply that `SendMessage` does not return, handed over by Claude Code's own hooks.
 *
 * A `SubagentStop` hook writes what the agent said last into a private directory before `SendMessage` returns. The hook
 * is given on the command line, by `--settings`: no file of the user's is read or changed for it.
 *
 * @see Claude Code 2.1.329: measured, the file was there in time in every one of fifteen runs
 */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"

/** Says where the hooks write. */
const directoryName = "ZAIN_HOOKS"

/** Whole or not at all: a reader never sees half a file. */
const command = `f="$${directoryName}/$$" && cat > "$f.part" && mv "$f.part" "$f.json"`

const hook = [{ hooks: [{ type: "command", command }] }]

/** What `--settings` says. Hooks are on even where the user's own settings turn them off. */
export const settings = { disableAllHooks: false, hooks: { SubagentStart: hook, SubagentStop: hook } }

/**
 * - `env`: what the hooks need in Claude Code's environment
 * - `take`: what this agent said last, waiting up to two seconds for it; `undefined` if nothing came
 * - `started`: the agent that was started last, if the hooks told
 * - `clear`: forgets what the hooks told so far
 */
export interface ReplyHook {
  readonly env: Readonly<Record<string, string>>
  readonly take: (agentId: string) => Effect.Effect<string | undefined>
  readonly started: () => string | undefined
  readonly clear: () => void
}

/** @param directory a private directory, for the hooks of one session */
export const make = (directory: string): ReplyHook => {
  const told = () => files(directory).flatMap((name) => payload(join(directory, name)))
  const clear = () => {
    for (const name of files(directory)) rmSync(join(directory, name), { force: true })
  }
  return {
    env: { [directoryName]: directory },
    started: () => {
      const starts = told().filter((event) => event["hook_event_name"] === "SubagentStart")
      const agentId = starts.length === 1 ? starts[0]?.["agent_id"] : undefined
      return typeof agentId === "string" ? agentId : undefined
    },
    take: (agentId) =>
      Effect.sync(() => {
        const stop = told().findLast(
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

/** What the hooks wrote, the oldest first. The names are ids of processes, which start from the bottom again. */
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
