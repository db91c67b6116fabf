/**
 * The document that is to become better: a text that a judge can be given as it is.
 */
import { Buffer } from "node:buffer"
import { constants } from "node:fs"
import { type FileHandle, open, realpath } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { documentProblem, longestDocument } from "../Evaluation.ts"
import { CommandError, fileProblem } from "./CommandError.ts"

/** No document has more bytes: a character that is one for `String.length` has three at most. */
const most = 3 * longestDocument

/** As much is read as shows that there is too much. */
const enough = most + 1

/**
 * - `path`: where it really is, links followed; `undefined` for standard input
 * - `mode`, `owner`: who may read and write it
 * - `names`: under how many names it is there
 */
export interface DocumentFile {
  readonly name: string
  readonly path: string | undefined
  readonly mode: number
  readonly owner?: Owner
  readonly names: number
  readonly content: string
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Who may read a document whose original was no file. */
const usualMode = 0o666

/**
 * Reads the document, and tells what is wrong with it before any agent is asked.
 *
 * @param file a path, or - for standard input
 */
export const read = (file: string): Effect.Effect<DocumentFile, CommandError> =>
  file === "-"
    ? Effect.flatMap(standardInput, (bytes) =>
        document({ name: "standard input", path: undefined, mode: usualMode, names: 0 }, bytes),
      )
    : regularFile(file)

const regularFile = (file: string): Effect.Effect<DocumentFile, CommandError> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      // A named pipe would be waited for.
      try: () => open(file, constants.O_RDONLY | constants.O_NONBLOCK),
      catch: (cause) => unreadable(file, cause),
    }),
    (handle) =>
      Effect.gen(function* () {
        const stat = yield* attempt(file, () => handle.stat())
        if (stat.isDirectory()) return yield* problem(file, "This is a directory. Name one document in it.")
        if (!stat.isFile())
          return yield* problem(file, "This is no file. Give - instead, and the document on standard input.")
        const path = yield* attempt(file, () => realpath(file))
        const { gid, mode, nlink: names, uid } = stat
        const about = { name: file, path, mode: mode & 0o777, owner: { uid, gid }, names }
        return yield* document(about, yield* attempt(file, () => bounded(handle)))
      }),
    (handle) => Effect.promise(() => handle.close()),
  )

/** What a file holds now; `undefined` where it cannot be told. */
export const reread = (path: string): Effect.Effect<string | undefined> =>
  regularFile(path).pipe(
    Effect.map(({ content }) => content),
    Effect.orElseSucceed(() => undefined),
  )

const bounded = async (handle: FileHandle): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(enough)
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

const standardInput = Effect.tryPromise({
  try: async () => {
    if (process.stdin.isTTY) process.stderr.write("Waiting for the document on standard input.\n")
    const parts: Array<Buffer> = []
    let size = 0
    for await (const part of process.stdin) {
      parts.push(part)
      size += part.length
      if (size >= enough) break
    }
    return Buffer.concat(parts)
  },
  catch: (cause) => unreadable("standard input", cause),
})

const document = Effect.fnUntraced(function* (
  about: Omit<DocumentFile, "content">,
  bytes: Buffer,
): Effect.fn.Return<DocumentFile, CommandError> {
  const { name } = about
  const content = yield* Effect.try({
    // A text that was not read to its end may end within a character; it is refused for its length.
    try: () => (bytes.length > most ? bytes.toString("latin1") : text.decode(bytes)),
    catch: () => problem(name, "This is no UTF-8 text. Convert it first, for example with iconv."),
  })
  const wrong = documentProblem(content)
  return wrong === undefined ? { ...about, content } : yield* problem(name, wrong)
})

/** A mark of byte order is a part of the document. */
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const attempt = <A>(name: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => unreadable(name, cause) })

const unreadable = (name: string, cause: unknown) => problem(name, `It cannot be read: ${fileProblem(cause)}.`)

const problem = (name: string, what: string) => new CommandError({ message: `${name}: ${what}` })
