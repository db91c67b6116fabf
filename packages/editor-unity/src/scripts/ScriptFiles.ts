/**
 * The C# files of a Unity project. Nothing outside of the project is looked at: links are followed and checked. A file that is written has
 * its old content or its new one.
 */
import { randomUUID } from "node:crypto"
import {
  access,
  chmod,
  constants,
  link,
  mkdir,
  open,
  opendir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises"
import { basename, dirname, join, relative, sep } from "node:path"
import type { DomainError } from "@zain/editor-link/domain/DomainError"
import { follow, isTooLong } from "@zain/process/FollowedPath"
import * as Effect from "effect/Effect"
import * as ScriptRefusal from "./ScriptRefusal.ts"
import * as ScriptText from "./ScriptText.ts"

/** `path`: relative to the project, with slashes. `size` in bytes. */
export interface ProjectFile {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** `isWhole`: whether no bound ended the walk. `skipped`: links that lead out of the project, and what cannot be read. */
interface Walked {
  readonly files: ReadonlyArray<ProjectFile>
  readonly isWhole: boolean
  readonly skipped: number
}

/** A file that was read. `place`: the path without links. `mode`: its permissions. */
export interface ReadScript extends ScriptText.ScriptText, ProjectFile {
  readonly place: string
  readonly mode: number
}

/** The largest file that is read, in bytes; how many files and directories are listed; how deep directories are. */
const [maxFileBytes, maxFiles, maxEntries, maxDepth] = [2 * 1_024 * 1_024, 20_000, 200_000, 64]

const cache = "Library/PackageCache"

/** The directories of each scope. `own`: what the project itself consists of. */
export const scopes: Readonly<Record<string, ReadonlyArray<string>>> = {
  own: ["Assets", "Packages"],
  assets: ["Assets"],
  embedded: ["Packages"],
  packages: ["Packages", cache],
  library: [cache],
  all: ["Assets", "Packages", cache],
}

/** The project's directory without links. */
export const root = (project: string): Effect.Effect<string, DomainError> =>
  Effect.tryPromise({
    try: () => realpath(project),
    catch: () =>
      ScriptRefusal.failed(`The project directory ${project} cannot be read. Name the right one with --project`),
  })

/** Where files of a purpose are. */
const allowed = { read: ["Assets", "Packages", cache], write: ["Assets", "Packages"] }

/**
 * The place of a file below a project.
 *
 * @param project without links
 * @param path as a client names it
 */
export const placeOf = (
  project: string,
  path: string,
  purpose: keyof typeof allowed,
): Effect.Effect<{ readonly place: string; readonly path: string; readonly isThere: boolean }, DomainError> => {
  const name = JSON.stringify(path.slice(0, 200))
  const plain = path.replaceAll("\\", "/")
  const parts = plain.split("/").filter((part) => part !== "" && part !== ".")
  const clean = parts.join("/")
  const isBelow = (directories: ReadonlyArray<string>, one: string) =>
    directories.some((dir) => one.startsWith(`${dir}/`))
  if (plain.startsWith("/") || plain.includes("\0") || parts.includes("..") || !isBelow(allowed.read, clean)) {
    return Effect.fail(
      ScriptRefusal.refused(
        `The path ${name} is not one of a script. Use a path relative to the project, such as Assets/Scripts/Player.cs`,
      ),
    )
  }
  if (!/\.cs$/i.test(clean))
    return Effect.fail(ScriptRefusal.refused(`${name} is not a C# file. Name a file that ends with .cs`))
  if (!isBelow(allowed[purpose], clean)) {
    return Effect.fail(
      ScriptRefusal.refused(
        `${name} is in the package cache, which Unity restores. Embed the package below Packages/ to edit it`,
      ),
    )
  }
  const whole = join(project, ...parts)
  if (isTooLong(whole)) return Effect.fail(ScriptRefusal.refused(`The path ${name} is too long`))
  return Effect.gen(function* () {
    const found = yield* Effect.promise(() => follow(whole))
    const real = relative(project, found.place).replaceAll(sep, "/")
    if (!isBelow(allowed[purpose], real) || !found.isCertain || !/\.cs$/i.test(real)) {
      return yield* ScriptRefusal.outside(
        `${name} leads out of the project's scripts through a link, and was not touched. Name the file by a path without links`,
      )
    }
    return { place: found.place, path: clean, isThere: found.isThere }
  })
}

/** Reads a file that is no larger than 2 MiB. */
export const read = Effect.fnUntraced(function* (
  project: string,
  path: string,
  purpose: keyof typeof allowed = "read",
): Effect.fn.Return<ReadScript, DomainError> {
  const found = yield* placeOf(project, path, purpose)
  if (!found.isThere) {
    return yield* ScriptRefusal.refused(
      `There is no file ${found.path} in the project. Find it with script_search and patternType glob`,
    )
  }
  const content = yield* Effect.tryPromise({
    try: () => bytesOf(found.place),
    catch: (cause) =>
      ScriptRefusal.failed(`${found.path} cannot be read: ${(cause as NodeJS.ErrnoException).code ?? cause}`),
  })
  if (content === "no-file") return yield* ScriptRefusal.refused(`${found.path} is not a regular file`)
  if (content === "too-large") {
    return yield* ScriptRefusal.tooLarge(
      `${found.path} is larger than ${maxFileBytes} bytes, the most that is read. Split the file`,
    )
  }
  const { bytes, mode, mtimeMs } = content
  const script = ScriptText.decode(bytes)
  return { ...script, path: found.path, place: found.place, size: bytes.byteLength, mtimeMs, mode }
})

/** A pipe is not waited for; a link in place of the file is not followed. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** What a regular file of at most 2 MiB has. */
export const bytesOf = async (place: string) => {
  const file = await open(place, flags)
  try {
    const about = await file.stat()
    if (!about.isFile()) return "no-file"
    if (about.size > maxFileBytes) return "too-large"
    const buffer = Buffer.alloc(about.size)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return { bytes: buffer.subarray(0, length), mode: about.mode & 0o7777, mtimeMs: about.mtimeMs }
  } finally {
    await file.close()
  }
}

/** Lists the C# files of a scope, in the order of their paths. Folders that Unity does not import are left out. */
export const walk = (project: string, scope: string): Effect.Effect<Walked> =>
  Effect.promise(async (signal) => {
    const files: Array<ProjectFile> = []
    const state = { entries: 0, skipped: 0, isWhole: true }
    const seen = new Set<string>()

    const visit = async (path: string, depth: number): Promise<void> => {
      const place = await inside(project, join(project, path))
      if (place === undefined || seen.has(place)) return void state.skipped++
      seen.add(place)
      if (depth > maxDepth || seen.size > maxFiles) {
        state.isWhole = false
        return
      }
      const entries: Array<{ readonly name: string; readonly isDirectory: boolean; readonly isLink: boolean }> = []
      const directory = await opendir(place).catch(() => undefined)
      if (directory === undefined) return void state.skipped++
      for await (const entry of directory) {
        if (state.entries++ > maxEntries || signal.aborted) {
          state.isWhole = false
          break
        }
        if (/^\.|~$/.test(entry.name)) continue
        const [isDirectory, isLink] = [entry.isDirectory(), entry.isSymbolicLink()]
        if (isDirectory || /\.cs$/i.test(entry.name) || isLink) entries.push({ name: entry.name, isDirectory, isLink })
      }
      entries.sort((one, other) => (one.name < other.name ? -1 : 1))
      for (const { isDirectory, isLink, name } of entries) {
        if (!state.isWhole) return
        await take(`${path}/${name}`, isDirectory, isLink, depth)
      }
    }

    const take = async (path: string, isDirectory: boolean, isLink: boolean, depth: number): Promise<void> => {
      if (isDirectory) return visit(path, depth + 1)
      const whole = join(project, path)
      if (isLink && (await inside(project, whole)) === undefined) return void state.skipped++
      const about = await stat(whole).catch(() => undefined)
      if (about?.isDirectory()) return visit(path, depth + 1)
      if (!about?.isFile() || !/\.cs$/i.test(basename(path))) return void state.skipped++
      if (files.length < maxFiles) files.push({ path, size: about.size, mtimeMs: about.mtimeMs })
      else state.isWhole = false
    }

    for (const directory of scopes[scope] ?? []) {
      if (await stat(join(project, directory)).catch(() => undefined)) await visit(directory, 0)
    }
    return { files, isWhole: state.isWhole, skipped: state.skipped }
  })

/** The place of what is below one of the directories with scripts. */
const inside = async (project: string, path: string): Promise<string | undefined> => {
  const place = await realpath(path).catch(() => undefined)
  if (place === undefined) return undefined
  const real = `${relative(project, place).replaceAll(sep, "/")}/`
  return allowed.read.some((directory) => real.startsWith(`${directory}/`)) ? place : undefined
}

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
          catch: (cause) => ScriptRefusal.failed(`${change.file.path} was not changed: ${reason(cause)}`),
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
    if (lost.length === 0)
      return yield* ScriptRefusal.failed(`${file.path} was not changed: ${failure}. No file was changed`)
    return yield* ScriptRefusal.halfDone(
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
    catch: (cause) => ScriptRefusal.failed(`${path} was not written: ${reason(cause)}`),
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
