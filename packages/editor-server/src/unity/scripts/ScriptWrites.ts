/**
 * Writes scripts as a whole: a file has its old content or its new one.
 */
import { randomUUID } from "node:crypto"
import { access, chmod, constants, link, mkdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type { DomainError } from "../../domain/DomainError.ts"
import type { ReadScript } from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as ScriptText from "./ScriptText.ts"

/** A file that was read, and the text that it gets; `undefined` removes it. */
export interface Change {
  readonly file: Pick<ReadScript, "path" | "place" | "hasMark" | "mode" | "mtimeMs" | "size">
  readonly before: string
  readonly after: string | undefined
}

/**
 * Changes files. Each is written beside itself first; one that was changed meanwhile ends it all before anything is replaced.
 * Where one cannot be replaced, the ones before it get their old content back.
 */
export const apply = (changes: ReadonlyArray<Change>): Effect.Effect<void, DomainError> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const ready: Array<{ readonly change: Change; readonly beside: string }> = []
      const prepare = Effect.forEach(changes, (change) =>
        Effect.tryPromise({
          try: async () => {
            await unchanged(change.file)
            const beside = besideOf(change.file.place)
            ready.push({ change, beside })
            if (change.after !== undefined) await written(beside, change.after, change.file)
          },
          catch: (cause) => Refusal.failed(`${change.file.path} was not changed: ${reason(cause)}`),
        }),
      )
      yield* Effect.ensuring(
        Effect.andThen(
          prepare,
          Effect.suspend(() => replaceAll(ready)),
        ),
        Effect.promise(() => Promise.all(ready.map(({ beside }) => rm(beside, { force: true }).catch(() => {})))),
      )
    }),
  )

const replaceAll = Effect.fnUntraced(function* (
  ready: ReadonlyArray<{ readonly change: Change; readonly beside: string }>,
): Effect.fn.Return<void, DomainError> {
  const done: Array<Change> = []
  for (const { beside, change } of ready) {
    const { after, file } = change
    const failure = yield* Effect.promise(() =>
      (after === undefined ? rm(file.place) : rename(beside, file.place)).then(() => undefined, reason),
    )
    if (failure === undefined) {
      done.push(change)
      continue
    }
    const kept = yield* Effect.promise(() => Promise.all(done.map(restore)))
    const lost = done.filter((_, at) => kept[at] === false).map((each) => each.file.path)
    if (lost.length === 0) return yield* Refusal.failed(`${file.path} was not changed: ${failure}. No file was changed`)
    return yield* Refusal.halfDone(
      `${file.path} was not changed: ${failure}. These were, and could not be restored: ${lost.slice(0, 10).join(", ")}. Restore them from version control`,
    )
  }
})

const besideOf = (place: string): string => join(dirname(place), `.${basename(place).slice(0, 100)}.${randomUUID()}`)

const written = async (path: string, text: string, { hasMark, mode }: Change["file"]): Promise<void> => {
  await writeFile(path, ScriptText.encode({ text, hasMark }), { mode, flag: "wx" })
  await chmod(path, mode)
}

const restore = async ({ before, file }: Change): Promise<boolean> => {
  const beside = besideOf(file.place)
  return written(beside, before, file)
    .then(() => rename(beside, file.place))
    .then(
      () => true,
      () => false,
    )
}

/** Fails where a file is no longer what was read, or may not be written. */
const unchanged = async ({ mtimeMs, place, size }: Change["file"]): Promise<void> => {
  const about = await stat(place)
  if (about.mtimeMs !== mtimeMs || about.size !== size) throw new Error("it was changed meanwhile. Read it again")
  await access(place, constants.W_OK)
}

/** Writes a file that is not there yet. */
export const create = (path: string, place: string, text: string): Effect.Effect<void, DomainError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(place), { recursive: true })
      const beside = besideOf(place)
      try {
        await writeFile(beside, ScriptText.encode({ text, hasMark: false }), { flag: "wx" })
        await link(beside, place)
      } finally {
        await rm(beside, { force: true })
      }
    },
    catch: (cause) => Refusal.failed(`${path} was not written: ${reason(cause)}`),
  })

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied. Make the file and its directory writable",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full. Free space",
  EEXIST: "it is there already. Choose another path",
  ENOENT: "it was removed meanwhile",
}

const reason = (cause: unknown): string => {
  const { code = "", message } = cause as NodeJS.ErrnoException
  return reasons[code] ?? (code === "" ? message : code)
}
