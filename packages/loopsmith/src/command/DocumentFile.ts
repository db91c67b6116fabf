/**
 * The document that is to become better: a text that a judge can be given as it is.
 */
import { Buffer } from "node:buffer"
import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { documentProblem, longestDocument } from "../Evaluation.ts"
import { CommandError, fileProblem } from "./CommandError.ts"

/** No document has more bytes: a character that is one for `String.length` has three at most. */
const most = 3 * longestDocument

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

const attempt = <A>(name: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => problem(name, `It cannot be read: ${fileProblem(cause)}.`) })

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
    // A named pipe would be waited for.
    attempt(file, () => open(file, constants.O_RDONLY | constants.O_NONBLOCK)),
    Effect.fnUntraced(function* (handle) {
      const stat = yield* attempt(file, () => handle.stat())
      if (stat.isDirectory()) return yield* problem(file, "This is a directory. Name one document in it.")
      if (!stat.isFile())
        return yield* problem(file, "This is no file. Give - instead, and the document on standard input.")
      const path = yield* attempt(file, () => realpath(file))
      const { gid, mode, nlink: names, uid } = stat
      const about = { name: file, path, mode: mode & 0o777, owner: { uid, gid }, names }
      return yield* document(
        about,
        yield* attempt(file, () => bounded(handle.createReadStream({ end: most, autoClose: false }))),
      )
    }),
    (handle) => Effect.promise(() => handle.close()),
  )

/** What a file holds now; `undefined` where it cannot be told. */
export const reread = (path: string): Effect.Effect<string | undefined> =>
  regularFile(path).pipe(
    Effect.map(({ content }) => content),
    Effect.orElseSucceed(() => undefined),
  )

/** No more of it than shows that there is too much. */
const bounded = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  let size = 0
  for await (const part of source) {
    parts.push(part)
    size += part.length
    if (size > most) break
  }
  return Buffer.concat(parts)
}

const standardInput = attempt("standard input", () => {
  if (process.stdin.isTTY) process.stderr.write("Waiting for the document on standard input.\n")
  return bounded(process.stdin)
})

const document = Effect.fnUntraced(function* (about: Omit<DocumentFile, "content">, bytes: Buffer) {
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

const problem = (name: string, what: string) => new CommandError({ message: `${name}: ${what}` })
