/**
 * A process of ours, from its start to the proven end of it and of all its children.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Environment from "./Environment.ts"
import { HostGuard } from "./HostGuard.ts"
import * as PrivateDirectory from "./PrivateDirectory.ts"
import * as ProcessError from "./ProcessError.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as ProcessTree from "./ProcessTree.ts"
import * as ProgramName from "./ProgramName.ts"
import * as Redactor from "./Redactor.ts"
import * as StderrTail from "./StderrTail.ts"

/**
 * A process to start.
 *
 * - `env`: its whole environment; nothing else of the host's reaches it
 * - `secrets`: values that must not show in its diagnostics
 * - `ownTemporary`: whether `TMPDIR` of `env` is replaced by a directory that is removed with the process. True by default
 * - `closeGrace`: how long its end may take before SIGKILL
 * - `endOfInputGrace`: how long the end of input is given to work, before SIGTERM. Half of `closeGrace` by default
 */
export interface ProcessCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
  readonly ownTemporary?: boolean
  readonly closeGrace: Duration.Duration
  readonly endOfInputGrace?: Duration.Duration
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** What has been seen of a process. `stderrTail`: the end of its standard error, without secrets. */
export interface Diagnostics {
  readonly exitCode?: number
  readonly signal?: string
  readonly stderrTail?: string
}

/**
 * - `stdin`, `stdout`: its pipes; its standard error is drained into `diagnostics`
 * - `onEnd`: hears, once, how the process ended, after what it wrote before has been read; at once when it has
 */
export interface OwnedProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly onEnd: (listener: (end: ProcessEnd) => void) => void
  readonly diagnostics: () => Diagnostics
}

interface Running extends OwnedProcess {
  readonly tree: ProcessTree.ProcessTree
  readonly ended: () => boolean
}

/**
 * Starts a process. With the Scope it ends: end of input, SIGTERM, SIGKILL, each for the whole process group, until
 * none of it is alive. A Scope that failed skips the polite part. Its temporary directory goes last.
 *
 * @param command what to start
 * @returns the process, or `ProcessError`
 */
export const start = Effect.fnUntraced(function* (
  command: ProcessCommand,
): Effect.fn.Return<OwnedProcess, ProcessError.ProcessError, Scope.Scope | HostGuard> {
  const guard = yield* HostGuard
  const own = yield* withTemporary(command)
  return yield* Effect.acquireRelease(launch(own, guard), (running, exit) =>
    Effect.ensuring(
      stop(running, Exit.isSuccess(exit) ? patience(own) : impatience),
      Effect.sync(() => release(running.tree, guard)),
    ),
  )
})

/** The target with a temporary directory of its own, made in the one that it names; as it is if none can be made. */
const withTemporary = (target: ProcessCommand): Effect.Effect<ProcessCommand, never, Scope.Scope | HostGuard> => {
  const { env, ownTemporary = true } = target
  if (!ownTemporary) return Effect.succeed(target)
  const base = Environment.temporary.map((name) => env[name]).find((path) => path !== undefined && path !== "")
  return PrivateDirectory.make(base).pipe(
    Effect.map((path) => ({
      ...target,
      env: { ...env, ...Object.fromEntries(Environment.temporary.map((name) => [name, path])) },
    })),
    Effect.orElseSucceed(() => target),
  )
}

const launch = (target: ProcessCommand, guard: HostGuard): Effect.Effect<Running, ProcessError.ProcessError> =>
  Effect.callback((resume) => {
    const mark = `${guard.mark}.${randomUUID()}`
    const failed = (cause: unknown, name = target.command) =>
      resume(Effect.fail(ProcessError.spawnFailed(name, cause, target.cwd)))
    if (target.cwd !== undefined && !existsSync(target.cwd)) {
      return failed(ProcessError.noWorkingDirectory, ProgramName.of(target))
    }
    let child: ChildProcessByStdio<Writable, Readable, Readable>
    try {
      guard.begin()
      child = spawn(target.command, target.args, {
        cwd: target.cwd,
        env: { ...target.env, [ProcessTable.markName]: mark },
        detached: process.platform !== "win32",
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      })
    } catch (cause) {
      return failed(cause)
    }
    child.once("error", failed)
    child.once("spawn", () => {
      const pid = child.pid as number
      guard.protect(pid)
      child.removeListener("error", failed)
      child.on("error", () => {})
      const tree = ProcessTree.make(pid, mark)
      child.once("exit", () => {
        // Its id may be another's soon, once nobody of its group is left.
        if (!ProcessTree.isGroupAlive(pid)) release(tree, guard)
      })
      resume(Effect.succeed(observe(child, tree, target)))
    })
  })

/** How long what a process wrote before its end may take to be read, in milliseconds: a grandchild may hold its pipes. */
const drainLimit = 150

const release = (tree: ProcessTree.ProcessTree, guard: HostGuard) => {
  if (tree.pid !== undefined) guard.release(tree.pid)
  tree.pid = undefined
}

const observe = (
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  tree: ProcessTree.ProcessTree,
  target: ProcessCommand,
): Running => {
  const tail = StderrTail.make(Redactor.make(target.secrets))
  child.stderr.on("data", tail.push)
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", () => {})
  let end: ProcessEnd | undefined
  let drained = false
  const listeners: Array<(end: ProcessEnd) => void> = []
  const drain = () => {
    if (drained || end === undefined) return
    drained = true
    for (const listener of listeners) listener(end)
  }
  child.once("exit", (exitCode, signal) => {
    end = { exitCode, signal }
    const timer = setTimeout(drain, drainLimit)
    child.once("close", () => {
      clearTimeout(timer)
      drain()
    })
  })
  return {
    tree,
    stdin: child.stdin,
    stdout: child.stdout,
    ended: () => end !== undefined,
    onEnd: (listener) => {
      if (drained && end !== undefined) listener(end)
      else listeners.push(listener)
    },
    diagnostics: () => {
      const stderrTail = tail.text()
      return {
        ...(typeof end?.exitCode === "number" ? { exitCode: end.exitCode } : {}),
        ...(typeof end?.signal === "string" ? { signal: end.signal } : {}),
        ...(stderrTail === "" ? {} : { stderrTail }),
      }
    },
  }
}

/**
 * What a process prints until it ends. Its input is ended first.
 *
 * @param limit about how many characters are read; the rest is passed over
 */
export const output = ({ onEnd, stdin, stdout }: OwnedProcess, limit = 64 * 1024): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let text = ""
    stdin.end()
    stdout.setEncoding("utf8")
    stdout.on("data", (piece: string) => {
      if (text.length < limit) text += piece
    })
    onEnd(() => resume(Effect.succeed(text)))
  })

/** The last resort is certain, so its limit is a safety net for a process that the kernel itself holds. */
const lastResort = Duration.seconds(1)

interface Patience {
  readonly endOfInput: Duration.Duration
  readonly term: Duration.Duration
}

const patience = ({ closeGrace, endOfInputGrace }: ProcessCommand): Patience => {
  const half = Duration.divideUnsafe(closeGrace, 2)
  const endOfInput = Duration.min(endOfInputGrace ?? half, closeGrace)
  return { endOfInput, term: half }
}

const impatience: Patience = { endOfInput: Duration.zero, term: Duration.zero }

const stop = Effect.fnUntraced(function* (running: Running, { endOfInput, term }: Patience) {
  running.stdin.end()
  let over = yield* gone(running, endOfInput, running.ended)
  if (!over && Duration.isPositive(term)) {
    ProcessTree.signal(running.tree, "SIGTERM")
    over = yield* gone(running, term)
  }
  if (!over) {
    yield* gone(running, lastResort, () => {
      ProcessTree.signal(running.tree, "SIGKILL")
      return false
    })
  }
  running.stdin.destroy()
  running.stdout.destroy()
})

/**
 * Waits until no process of the tree is alive.
 *
 * @param between runs between two looks, and ends the wait when it is true: a leader that has left on its own leaves
 *   nobody to be polite to
 */
const gone = Effect.fnUntraced(function* (running: Running, limit: Duration.Duration, between = () => false) {
  const left = () => running.ended() && ProcessTree.members(running.tree).length === 0
  const end = performance.now() + Duration.toMillis(limit)
  for (let pause = 2; performance.now() < end; pause = Math.min(pause * 2, 50)) {
    if (left()) return true
    if (between()) return false
    yield* Effect.sleep(pause)
  }
  return left()
})
