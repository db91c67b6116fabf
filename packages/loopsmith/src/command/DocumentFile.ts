/**
 * Reads the document from a file or from standard input, and checks that a judge can read it.
 */
import { Buffer } from "node:buffer"
import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { documentProblem, maxDocumentLength } from "../Evaluation.ts"
import { CommandError, fileProblem } from "./CommandError.ts"

/** The greatest size of a document, in bytes: one unit of `String.length` has at most three bytes in UTF-8. */
const maxFileBytes = 3 * maxDocumentLength

/**
 * - `path`: the path with symbolic links resolved; `undefined` for standard input
 * - `mode`, `owner`: the file's permissions
 * - `names`: the number of hard links
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

/** The mode of a document that was read from standard input. */
const usualMode = 0o666

const attempt = <A>(name: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => problem(name, `Cannot be read: ${fileProblem(cause)}.`) })

/**
 * Reads the document. Fails with `CommandError` before any agent starts.
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
    // Without O_NONBLOCK, opening a named pipe blocks until it has a writer.
    attempt(file, () => open(file, constants.O_RDONLY | constants.O_NONBLOCK)),
    Effect.fnUntraced(function* (handle) {
      const stat = yield* attempt(file, () => handle.stat())
      if (stat.isDirectory()) return yield* problem(file, "This is a directory. Name a file in it.")
      if (!stat.isFile()) return yield* problem(file, "Not a regular file. Pass - and the document on standard input.")
      const path = yield* attempt(file, () => realpath(file))
      const { gid, mode, nlink: names, uid } = stat
      const about = { name: file, path, mode: mode & 0o777, owner: { uid, gid }, names }
      return yield* document(
        about,
        yield* attempt(file, () => bounded(handle.createReadStream({ end: maxFileBytes, autoClose: false }))),
      )
    }),
    (handle) => Effect.promise(() => handle.close()),
  )

/** The current content of a file; `undefined` if it is no valid document any more. */
export const reread = (path: string): Effect.Effect<string | undefined> =>
  regularFile(path).pipe(
    Effect.map(({ content }) => content),
    Effect.orElseSucceed(() => undefined),
  )

/** Reads until the end, or until the source is known to be too long. */
const bounded = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  let size = 0
  for await (const part of source) {
    parts.push(part)
    size += part.length
    if (size > maxFileBytes) break
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
    // A truncated text may end within a character; its length is rejected below.
    try: () => (bytes.length > maxFileBytes ? bytes.toString("latin1") : text.decode(bytes)),
    catch: () => problem(name, "Not UTF-8 text. Convert it first, for example with iconv."),
  })
  const wrong = documentProblem(content)
  return wrong === undefined ? { ...about, content } : yield* problem(name, wrong)
})

/** A byte order mark stays part of the document. */
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const problem = (name: string, what: string) => new CommandError({ message: `${name}: ${what}` })
