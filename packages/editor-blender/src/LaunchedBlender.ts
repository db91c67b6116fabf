/**
 * A Blender of this server: started when a call needs it, started again when it was lost, and ended with the Scope.
 */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, rm, stat } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import type { Environment } from "@zain/command/OptionTable"
import { clean } from "@zain/command/PlainText"
import type { Sought } from "@zain/editor-link/infrastructure/link/Target"
import type { LaunchOptions } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as BlenderProcess from "./BlenderProcess.ts"
import * as BridgeFiles from "./BridgeFiles.ts"

/** How long the server waits for Blender's end; after that Blender ends by itself. */
const endWait = Duration.millis(200)

interface Running extends BlenderProcess.BlenderProcess {
  readonly scope: Scope.Closeable
}

/** A path that is there, as a file or as a directory; or one sentence. */
const there = (option: string, path: string | undefined, what: "file" | "directory") =>
  Effect.promise(async () => {
    if (path === undefined) return undefined
    const found = await stat(path).catch(() => undefined)
    const isRight = what === "file" ? found?.isFile() : found?.isDirectory()
    return isRight === true ? undefined : `${option}: ${path} is not a ${what}.`
  })

/** When a file was written last, in milliseconds; nothing where there is none. */
const changedAt = (path: string) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  )

/** How many recovery files are kept; the oldest are deleted. */
const maxRecoveries = 16

/** Their names, also while Blender writes them. Files that a user has put beside them stay. */
const recoveryFile = /^\d{8}T\d{6}-[0-9a-f]{8}\.blend@?$/

/** Makes the directory for recovery files, whose names begin with their time, and takes the oldest away, but not its own. */
const prepare = async (directory: string, own: string) => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const files = (await readdir(directory)).filter((name) => recoveryFile.test(name) && name !== own).sort()
  const old = files.slice(0, Math.max(0, files.length - maxRecoveries))
  await Promise.all(old.map((name) => rm(join(directory, name), { force: true })))
}

const recoveryName = (): string =>
  `${new Date().toISOString().replace(/[-:]/g, "").replace(/\..*/, "")}-${randomUUID().slice(0, 8)}.blend`

const say = (sentence: string) => process.stderr.write(`${sentence}\n`)

/** Nothing is started before the first `seek`. Fails with one sentence on an option that cannot be applied. */
export const make = Effect.fnUntraced(function* (
  given: LaunchOptions,
  env: Environment,
): Effect.fn.Return<Sought, string, Scope.Scope> {
  const file = given.file === undefined ? undefined : resolve(given.file)
  const files = given.files === undefined ? undefined : resolve(given.files)
  const problem = (yield* there("--file", file, "file")) ?? (yield* there("--files", files, "directory"))
  if (problem !== undefined) return yield* Effect.fail(problem)
  const directory = BridgeFiles.launchedDirectory(env)
  const newRecovery = () => join(directory, recoveryName())
  let recovery = newRecovery()
  const one = yield* Semaphore.make(1)
  let running: Running | undefined
  /** The scene's file in the Blender that ended last; undefined where its bridge ended in order, and left no file. */
  let lost: Promise<string | undefined> | undefined

  /** A copy that Blender does not open, or that ends it, would fail each start. */
  const leaveCopy = Effect.sync(() => {
    say(`Blender did not start with the copy of its last scene, which is in ${recovery}. The next start is without it.`)
    lost = undefined
    recovery = newRecovery()
  })
  /**
   * What the next Blender opens: the copy of the lost one's scene, unless its own file is newer. A scene whose file is not
   * known counts as never saved: a guess would have it saved over another.
   */
  const opened = Effect.promise(async () => {
    const options = { ...given, file, files, directory, recovery }
    const copied = await changedAt(recovery)
    if (lost === undefined || copied === undefined) return options
    const own = (await lost) ?? ""
    const saved = own === "" ? undefined : await changedAt(own)
    return saved !== undefined && saved > copied
      ? { ...options, file: own }
      : { ...options, file: recovery, restoredFrom: own }
  })
  const launch = Effect.gen(function* () {
    yield* Effect.tryPromise({
      try: () => prepare(directory, basename(recovery)),
      catch: (cause) => `the directory for recovery files cannot be made: ${String(cause)}.`,
    })
    const scope = yield* Scope.make()
    const options: BlenderProcess.ProcessOptions = yield* opened
    const started = yield* BlenderProcess.start(options, env).pipe(
      Scope.provide(scope),
      Effect.tapError(() => (options.restoredFrom === undefined ? Effect.void : leaveCopy)),
      // What becomes of a start that is interrupted does not keep its caller.
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.forkDetach(Scope.close(scope, Exit.void)))),
    )
    const now: Running = { ...started, scope }
    running = now
    started.onEnd(({ exitCode, signal }) => {
      if (running !== now) return
      running = undefined
      lost = BridgeFiles.lastFile(now.infoFile)
      say(`Blender ended (${signal ?? `exit code ${exitCode}`}). The next call starts it again.`)
      Effect.runFork(Scope.close(scope, Exit.void))
    })
    return now
  })
  /** Ends the running Blender: with a save, or at once. */
  const close = (how: Exit.Exit<void, "killed">) =>
    Effect.suspend(() => {
      const ending = running
      if (ending === undefined) return Effect.void
      running = undefined
      lost = BridgeFiles.lastFile(ending.infoFile)
      return Scope.close(ending.scope, how)
    })
  /** Ends it at once, if it still is the one that runs when a start has ended. */
  const kill = Effect.suspend(() => {
    const meant = running
    return one.withPermit(Effect.suspend(() => (running === meant ? close(Exit.fail("killed")) : Effect.void)))
  })

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      if (running === undefined) {
        if (lost !== undefined && existsSync(recovery)) say(`The last scene of Blender is in ${recovery}.`)
        return
      }
      const { diagnostics } = running
      // Before the wait: this process may have to exit during it.
      say(`Blender is ending. If its scene is unsaved, it goes to ${recovery}.`)
      const ending = yield* Effect.forkDetach(close(Exit.void))
      yield* Effect.timeoutOption(Fiber.await(ending), endWait)
      const saved = /^zain-bridge saved .*$/m.exec(diagnostics().stderrTail ?? "")
      if (saved !== null) say(clean(saved[0]))
    }),
  )
  return {
    sought: "a Blender of this server",
    seek: one.withPermit(
      Effect.suspend(() =>
        Effect.map(running === undefined ? launch : Effect.succeed(running), ({ bridge }) =>
          BridgeFiles.placeOf(bridge),
        ),
      ),
    ),
    launched: {
      end: kill,
      startAdvice: "Install Blender 3.4 or later, or name its program in BLENDER_PATH.",
    },
  }
})
