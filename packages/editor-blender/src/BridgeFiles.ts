/**
 * The files by which running bridges of Blender are found: `<pid>.json`, with the port and the token.
 *
 * @see PROTOCOL.md, finding it
 */
import { execFileSync } from "node:child_process"
import { constants, type Stats } from "node:fs"
import { lstat, open, readdir, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join, posix, resolve, win32 } from "node:path"
import type { Environment } from "@zain/command/OptionTable"
import { parseObject } from "@zain/process/JsonRpc"
import { directoryOf } from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** A running bridge. `file`: the .blend file that is open, empty for a scene that was never saved. */
export interface Bridge {
  readonly pid: number
  readonly port: number
  readonly token: Redacted.Redacted
  readonly file: string
}

const host = "127.0.0.1"

/** How many files of a directory are read, and how large one may be, in bytes. */
const maxFiles = 64
const maxFileBytes = 16 * 1024

const fileName = /^(\d{1,10})\.json$/
const tokenShape = /^[!-~]{16,512}$/

/** What of a machine decides where bridges leave their files. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** The user's number; Windows has none. */
  readonly uid: number | undefined
  /** The user's directory for temporary files where the environment names none. */
  readonly temporary: () => string
}

const temporaryOfUser = (): string => {
  if (process.platform !== "darwin") return tmpdir()
  try {
    return execFileSync("/usr/bin/getconf", ["DARWIN_USER_TEMP_DIR"], { encoding: "utf8", timeout: 5_000 }).trim()
  } catch {
    return tmpdir()
  }
}

// It is asked for with each attempt to connect, and does not change.
let temporary: string | undefined

const thisMachine: Machine = {
  platform: process.platform,
  uid: process.getuid?.(),
  temporary: () => (temporary ??= temporaryOfUser()),
}

/**
 * Where bridges leave their files. Programs that MCP clients start often have no `XDG_RUNTIME_DIR` and no `TMPDIR`:
 * their usual places are looked at too.
 */
export const directories = (env: Environment, machine = thisMachine): ReadonlyArray<string> => {
  const { platform, uid } = machine
  const { isAbsolute, join } = platform === "win32" ? win32 : posix
  const named = (name: string) => [env[name] ?? ""].filter((directory) => isAbsolute(directory))
  const usual = platform === "linux" && uid !== undefined ? [`/run/user/${uid}`] : []
  const [runtime] = [...named("XDG_RUNTIME_DIR"), ...usual]
  // The order of Python's tempfile.
  const [temporary = machine.temporary()] = [...named("TMPDIR"), ...named("TEMP"), ...named("TMP")]
  return [
    ...(runtime === undefined ? [] : [join(runtime, "zain-editors")]),
    join(temporary, uid === undefined ? "zain-editors" : `zain-editors-${uid}`),
  ]
}

/** Where the Blenders that servers start leave theirs: only `--editor` reaches those. Their recovery files are there too. */
export const launchedDirectory = (env: Environment): string => directoryOf(env, "blender")

/** Whether it is this user's, and others cannot do with it what the mask says. Windows has no such modes. */
const isPrivate = ({ mode, uid }: Stats, mask: number): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & mask) === 0)

/** Whether a process of this user has the number. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A bridge by its file, or why it is none; what stands in the file is not repeated. */
const read = async (path: string): Promise<Result.Result<Bridge, string>> => {
  // A link or a named pipe is no file of a bridge.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0)).catch(
    (cause: NodeJS.ErrnoException) => cause.code ?? "it cannot be opened",
  )
  if (typeof file === "string") return Result.fail(file === "ENOENT" ? "it does not exist" : file)
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxFileBytes) return Result.fail("it is not the file of a bridge")
    if (!isPrivate(stats, 0o077)) return Result.fail("it is not this user's alone (chmod 600)")
    return bridgeOf(parseObject((await file.readFile("utf8")).slice(0, maxFileBytes)) ?? {}, basename(path))
  } catch {
    return Result.fail("it cannot be read")
  } finally {
    await file.close()
  }
}

const bridgeOf = (value: Readonly<Record<string, unknown>>, name: string): Result.Result<Bridge, string> => {
  const { file, pid, port, token } = value
  const isPort = Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535
  const isToken = typeof token === "string" && tokenShape.test(token)
  if (!Number.isSafeInteger(pid) || Number(pid) < 1 || !isPort || !isToken || typeof file !== "string") {
    return Result.fail("it is not the file of a bridge")
  }
  const [, named = String(pid)] = fileName.exec(name) ?? []
  if (named !== String(pid) || !isAlive(Number(pid))) return Result.fail("its Blender has ended")
  return Result.succeed({ pid: Number(pid), port: Number(port), token: Redacted.make(token), file })
}

/** The .blend file that was open when a bridge last wrote its file, also where its Blender has ended. */
export const lastFile = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, "utf8").catch(() => "")
  const { file } = parseObject(text.slice(0, maxFileBytes)) ?? {}
  return typeof file === "string" ? file : undefined
}

const readDirectory = async (directory: string): Promise<ReadonlyArray<Bridge>> => {
  const stats = await lstat(directory).catch(() => undefined)
  if (stats === undefined || !stats.isDirectory() || !isPrivate(stats, 0o022)) return []
  const names = (await readdir(directory).catch((): Array<string> => [])).filter((name) => fileName.test(name))
  const found = await Promise.all(names.slice(0, maxFiles).map((name) => read(join(directory, name))))
  return found.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
}

/** The bridges that run, by their process numbers. */
export const running = (env: Environment): Effect.Effect<ReadonlyArray<Bridge>> =>
  Effect.promise(async () => {
    const all = (await Promise.all(directories(env).map(readDirectory))).flat()
    const byPid = new Map(all.map((bridge) => [bridge.pid, bridge]))
    return [...byPid.values()].sort((one, other) => one.pid - other.pid)
  })

/** Where a bridge listens. */
export const placeOf = ({ port, token }: Bridge) => ({ host, port, token })

/** `4711 (/work/chair.blend)`. */
export const label = ({ file, pid }: Bridge): string => `${pid} (${file === "" ? "never saved" : file})`

/** Which bridge is meant: the only one, or one by its process, its file or its port. */
export type Wanted =
  | { readonly by: "only" }
  | { readonly by: "pid"; readonly pid: number }
  | { readonly by: "file"; readonly path: string }
  | { readonly by: "port"; readonly port: number }

/** What `--editor` takes: a process, `HOST:PORT`, or a bridge's file; or one sentence on what is wrong. */
export const wanted = (given: string): Result.Result<Wanted, string> => {
  if (/^\d{1,10}$/.test(given)) return Result.succeed({ by: "pid", pid: Number(given) })
  const [, named, port] = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/.exec(given) ?? []
  if (named === undefined) return Result.succeed({ by: "file", path: resolve(given) })
  if (named !== host && named !== "localhost") {
    return Result.fail(`--editor: Blender's bridge listens on ${host} alone, not on ${JSON.stringify(named)}.`)
  }
  return Result.succeed({ by: "port", port: Number(port) })
}

const listed = (bridges: ReadonlyArray<Bridge>) =>
  bridges.length === 0 ? "No other one runs." : `Running are ${bridges.map(label).join(", ")}.`

/** The bridge that is meant, as it runs now; or one sentence on why there is none. */
export const find = Effect.fnUntraced(function* (which: Wanted, env: Environment): Effect.fn.Return<Bridge, string> {
  if (which.by === "file") {
    const found = yield* Effect.promise(() => read(which.path))
    if (Result.isSuccess(found)) return found.success
    return yield* Effect.fail(`${which.path} names no running bridge: ${found.failure}.`)
  }
  const found = yield* running(env)
  const bridges =
    which.by === "only" ? found : [...found, ...(yield* Effect.promise(() => readDirectory(launchedDirectory(env))))]
  if (which.by === "only") {
    const [only, ...others] = bridges
    if (only === undefined) {
      return yield* Effect.fail(`no Blender with a bridge runs (looked in ${directories(env).join(" and ")}).`)
    }
    if (others.length === 0) return only
    return yield* Effect.fail(`several run, and none was named: ${bridges.map(label).join(", ")}. Use --editor PID.`)
  }
  const named = bridges.find((bridge) => (which.by === "pid" ? bridge.pid === which.pid : bridge.port === which.port))
  const what = which.by === "pid" ? `process ${which.pid} has` : `port ${which.port} belongs to`
  return named ?? (yield* Effect.fail(`${what} no bridge. ${listed(bridges)}`))
})

/** What is meant, in words. */
export const describe = (which: Wanted): string => {
  switch (which.by) {
    case "only":
      return "the address in its bridge's file"
    case "pid":
      return `process ${which.pid}`
    case "file":
      return join(basename(dirname(which.path)), basename(which.path))
    case "port":
      return `${host}:${which.port}`
  }
}
