/**
 * Options beside a `threadId`, compared with those of the thread.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { AgentError } from "./AgentError.ts"
import * as Workspace from "./Workspace.ts"

interface Placed {
  readonly cwd?: string
}

/**
 * The options that differ from those of a thread. A missing flag equals `false`. Fails for a directory that does not exist,
 * and for options that lead out of the roots, as the start of a thread does.
 *
 * @param record the options of the thread, with its directory
 * @param leadsOut see `Workspace.start`
 */
export const make = Effect.fnUntraced(function* <Options extends Placed>(
  record: Options & { readonly cwd: string },
  options: Options,
  leadsOut: (options: Options) => ReadonlyArray<string>,
): Effect.fn.Return<Options, AgentError> {
  const changed = changesOf(record, options)
  const wide = leadsOut(changed)
  if (changed.cwd === undefined && wide.length === 0) return changed
  const cwd = yield* Workspace.start(changed.cwd ?? record.cwd, wide)
  return changesOf(record, { ...changed, cwd })
})

const changesOf = <Options extends object>(record: object, options: Options): Options => {
  const before = new Map(Object.entries(record))
  const isNew = ([name, value]: [string, unknown]) =>
    value === false ? before.get(name) === true : !Equal.equals(value, before.get(name))
  return Object.fromEntries(Object.entries(options).filter(isNew)) as Options
}
