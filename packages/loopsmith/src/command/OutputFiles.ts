/**
 * Plans and writes the outputs. An existing file is replaced only with `--in-place` or `--force`.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { access, chmod, chown, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, extname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandError, fileProblem } from "./CommandError.ts"
import * as DocumentFile from "./DocumentFile.ts"
import type { Improve } from "./LoopCommandLine.ts"
import * as StandardOutput from "./StandardOutput.ts"

/**
 * - `stdout`: standard output
 * - `new`: a new file; the next free name if the path exists by then
 * - `replace`: a file that may be replaced, and its owner; if `holds` is given, only while the file has this content
 */
export type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "new"; readonly path: string; readonly mode: number }
  | {
      readonly kind: "replace"
      readonly path: string
      readonly mode: number
      readonly owner: DocumentFile.Owner | undefined
      readonly holds?: string
    }

/** `isAsked`: the document is written also if it is no better than the original. */
export interface Outputs {
  readonly document: Destination
  readonly isAsked: boolean
  readonly report: Destination | undefined
}

/** Plans the outputs. Fails with `CommandError` before any agent starts. */
export const plan = Effect.fnUntraced(function* (
  { file, force, inPlace, output, report }: Pick<Improve, "file" | "force" | "inPlace" | "output" | "report">,
  original: DocumentFile.DocumentFile,
): Effect.fn.Return<Outputs, CommandError> {
  const { mode, names, owner } = original
  if (inPlace && names > 1) {
    return yield* new CommandError({
      message: `${file} has ${names} hard links, and the others would keep the old text. Use --output with another file instead of --in-place.`,
    })
  }
  const path = output ?? (file === "-" ? "-" : beside(file, ".improved", extname(file)))
  const named = yield* inPlace && original.path !== undefined
    ? Effect.as(folder(original.path), {
        kind: "replace",
        path: original.path,
        mode,
        owner,
        holds: original.content,
      } as const)
    : path === "-"
      ? Effect.succeed({ kind: "stdout" } as const)
      : destination(path, mode, output !== undefined, force, original)
  const reportPath = report === undefined ? reportBeside(output, file) : report
  return {
    document: named,
    isAsked: output !== undefined || path === "-",
    report:
      reportPath === false
        ? undefined
        : yield* Effect.tap(destination(reportPath, mode & 0o666, report !== undefined, force, original), (found) =>
            found.kind !== "stdout" && named.kind !== "stdout" && found.path === named.path
              ? new CommandError({
                  message: `The document and its report would both be ${found.path}. Name another with --report.`,
                })
              : Effect.void,
          ),
  }
})

const beside = (file: string, addition: string, extension: string): string =>
  join(dirname(file), `${basename(file, extname(file))}${addition}${extension}`)

/** `false` if the document is read from and written to pipes: there is no place beside it. */
const reportBeside = (output: string | undefined, file: string): string | false => {
  const document = output === undefined || output === "-" ? file : output
  return document === "-" ? false : beside(document, ".report", ".html")
}

/** `isExplicit`: a path from an option is used or rejected; a default path falls back to the next free name. */
const destination = Effect.fnUntraced(function* (
  path: string,
  mode: number,
  isExplicit: boolean,
  force: boolean,
  original: DocumentFile.DocumentFile,
): Effect.fn.Return<Destination, CommandError> {
  yield* folder(path)
  const found = yield* Effect.promise(() => stat(path).catch(() => undefined))
  if (found === undefined) return { kind: "new", path, mode }
  const real = yield* Effect.promise(() => realpath(path))
  if (real === original.path) {
    return yield* new CommandError({ message: `${path} is the original. Pass --in-place to replace it.` })
  }
  if (isExplicit && !found.isFile())
    return yield* new CommandError({ message: `${path} exists and is not a regular file.` })
  if (force && found.isFile())
    return { kind: "replace", path: real, mode: found.mode & 0o777, owner: { uid: found.uid, gid: found.gid } }
  if (isExplicit) {
    return yield* new CommandError({ message: `${path} exists. Name another file, or replace it with --force.` })
  }
  return { kind: "new", path, mode }
})

/** Checks that a file can be created in the path's directory. */
const folder = (path: string): Effect.Effect<void, CommandError> =>
  Effect.tryPromise({
    try: () => access(join(dirname(path), "/"), constants.W_OK | constants.X_OK),
    catch: (cause) => new CommandError({ message: `Cannot write a file in ${dirname(path)}: ${fileProblem(cause)}.` }),
  })

/**
 * Writes a text to its destination.
 *
 * @returns the path of the file, which differs from the planned one if that exists or has changed since; `undefined` for
 *   standard output
 */
export const write = (to: Destination, content: string): Effect.Effect<string | undefined, CommandError> => {
  if (to.kind === "stdout") return Effect.as(StandardOutput.write(process.stdout, content), undefined)
  if (to.kind === "new") return create(to.path, to.mode, content)
  if (to.holds === undefined) return replace(to, content)
  const { holds, mode, path } = to
  return Effect.flatMap(DocumentFile.reread(path), (now) =>
    now === holds ? replace(to, content) : create(beside(path, ".improved", extname(path)), mode, content),
  )
}

/** Writes a text to the directory for temporary files, after `write` failed. */
export const rescue = (to: Destination, content: string): Effect.Effect<string, CommandError> =>
  create(join(tmpdir(), to.kind === "stdout" ? "loopsmith.improved" : basename(to.path).slice(-100)), 0o600, content)

/** The greatest number in a file's name. */
const maxNumber = 1_000

/** Creates the file, or the next one with a free name: `guide.improved-2.md`. */
const create = (path: string, mode: number, content: string): Effect.Effect<string, CommandError> =>
  failing(path, async () => {
    const extension = extname(path)
    for (let number = 1; number <= maxNumber; number++) {
      const name = number === 1 ? path : beside(path, `-${number}`, extension)
      if (await writeNew(name, mode, content)) return name
    }
    throw new Error(`there are ${maxNumber} files of this name`)
  })

/** @returns `false` if the file exists */
const writeNew = async (path: string, mode: number, content: string): Promise<boolean> => {
  try {
    await writeFile(path, content, { flag: "wx", mode, flush: true })
    return true
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false
    await rm(path, { force: true })
    throw cause
  }
}

/** Replaces the file atomically: a reader gets the old text or the new one, never a part. */
const replace = ({ mode, owner, path }: Destination & { readonly kind: "replace" }, content: string) => {
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`)
  return failing(path, async () => {
    await writeNew(draft, 0o600, content)
    // Fails without the privilege to change an owner.
    if (owner !== undefined) await chown(draft, owner.uid, owner.gid).catch(() => {})
    // After creation, because the umask reduces the mode of a new file.
    await chmod(draft, mode)
    await rename(draft, path)
    return path
  }).pipe(
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.promise(() => rm(draft, { force: true })))),
  )
}

const failing = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, CommandError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new CommandError({ message: `${path} could not be written: ${fileProblem(cause)}.` }),
  })
