/**
 * Where the better document and the report go. A file that exists is replaced only by whoever says so.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { access, chmod, chown, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, extname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandError, fileProblem } from "./CommandError.ts"
import type { Improve } from "./CommandLine.ts"
import * as DocumentFile from "./DocumentFile.ts"
import * as StandardOutput from "./StandardOutput.ts"

/**
 * - `stdout`: standard output
 * - `new`: a file that is not there yet; the next free name if it has come to be there
 * - `replace`: a file that may be there, and whose it is. `holds` is what it must still hold to be replaced
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

/** `isAsked`: the document is written also where it is no better than the original. */
export interface Outputs {
  readonly document: Destination
  readonly isAsked: boolean
  readonly report: Destination | undefined
}

/** Which files there will be, or why there cannot be: told before any agent is asked. */
export const plan = Effect.fnUntraced(function* (
  { file, force, inPlace, output, report }: Pick<Improve, "file" | "force" | "inPlace" | "output" | "report">,
  original: DocumentFile.DocumentFile,
): Effect.fn.Return<Outputs, CommandError> {
  const { mode, names, owner } = original
  if (inPlace && names > 1) {
    return yield* new CommandError({
      message: `${file} has ${names} names, by hard links, and the others would keep the old text. Name another file with --output in place of --in-place.`,
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

/** A document that comes and goes by pipes has no place for a report. */
const reportBeside = (output: string | undefined, file: string): string | false => {
  const document = output === undefined || output === "-" ? file : output
  return document === "-" ? false : beside(document, ".report", ".html")
}

/** `isExplicit`: a name that somebody gave is used, or refused; one of ours has another in its place. */
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
    return yield* new CommandError({ message: `${path} is the original. It is only replaced with --in-place.` })
  }
  if (isExplicit && !found.isFile()) return yield* new CommandError({ message: `${path} exists, and is no file.` })
  if (force && found.isFile())
    return { kind: "replace", path: real, mode: found.mode & 0o777, owner: { uid: found.uid, gid: found.gid } }
  if (isExplicit) {
    return yield* new CommandError({ message: `${path} exists. Name another file, or replace it with --force.` })
  }
  return { kind: "new", path, mode }
})

/** Whether a file can be made there. */
const folder = (path: string): Effect.Effect<void, CommandError> =>
  Effect.tryPromise({
    try: () => access(join(dirname(path), "/"), constants.W_OK | constants.X_OK),
    catch: (cause) =>
      new CommandError({ message: `No file can be written in ${dirname(path)}: ${fileProblem(cause)}.` }),
  })

/**
 * Writes a text where it belongs.
 *
 * @returns the path of the file, which is another than was planned if that has come to exist, or has changed, in the
 *   meantime; `undefined` for standard output
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

/** Writes a text that could not be written where it belongs to the directory for temporary files. */
export const rescue = (to: Destination, content: string): Effect.Effect<string, CommandError> =>
  create(join(tmpdir(), to.kind === "stdout" ? "loopsmith.improved" : basename(to.path).slice(-100)), 0o600, content)

/** More files of one name than anybody keeps. */
const mostNames = 1_000

/** The file, or the next one whose name is free: `guide.improved-2.md`. */
const create = (path: string, mode: number, content: string): Effect.Effect<string, CommandError> =>
  failing(path, async () => {
    const extension = extname(path)
    for (let number = 1; number <= mostNames; number++) {
      const name = number === 1 ? path : beside(path, `-${number}`, extension)
      if (await writeNew(name, mode, content)) return name
    }
    throw new Error(`there are ${mostNames} files of this name`)
  })

/** @returns whether there was no such file before */
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

/** Whoever reads the file finds the old text or the new one, and never a part. */
const replace = ({ mode, owner, path }: Destination & { readonly kind: "replace" }, content: string) => {
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`)
  return failing(path, async () => {
    await writeNew(draft, 0o600, content)
    // Only a few may give a file away.
    if (owner !== undefined) await chown(draft, owner.uid, owner.gid).catch(() => {})
    // Not what the process would take away from the mode of a new file.
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
