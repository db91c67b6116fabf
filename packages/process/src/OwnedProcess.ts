/**
 * A child process, from its start to the verified end of its whole process tree.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
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
import * as WorkingDirectory from "./WorkingDirectory.ts"

/** A program to start, its environment, and how long it may take to end. */
export interface ProcessCommand {
  /** The executable: a path, or a name to look up on the `PATH` of `env`. */
  readonly command: string
  /** The arguments. They appear in no message, except for the name of a script that Node runs. */
  readonly args: ReadonlyArray<string>
  /** The working directory; the host's by default. */
  readonly cwd?: string
  /**
   * The whole environment: no other variable of the host reaches the process. `start` adds `ZAIN_OWNER`, a mark by
   * which it finds the process and its descendants to end them, and replaces the variables in `Environment.temporary`
   * unless `ownTemporary` is false.
   */
  readonly env: Readonly<Record<string, string>>
  /** Values to redact from `diagnostics`. */
  readonly secrets: ReadonlyArray<string>
  /** Whether `TMPDIR` of `env` is replaced by a directory that is removed with the process. True by default. */
  readonly ownTemporary?: boolean
  /**
   * How long the process may take to end: half of it is the time from SIGTERM to SIGKILL, `endOfInputGrace` the time
   * before SIGTERM.
   */
  readonly closeGrace: Duration.Duration
  /** How long to wait between the end of input and SIGTERM, at most `closeGrace`. Half of `closeGrace` by default. */
  readonly endOfInputGrace?: Duration.Duration
}

/** How a process ended: one of the two fields is `null`, the other is not. */
export interface ProcessEnd {
  /** The code that the process exited with; `null` after a signal. */
  readonly exitCode: number | null
  /** The signal that ended it, such as `SIGKILL`; `null` after an exit. */
  readonly signal: string | null
}

/** What is known of a process, for messages and logs. */
export interface Diagnostics {
  /** The code that the process exited with; absent while it runs, and if a signal ended it. */
  readonly exitCode?: number
  /** The signal that ended the process, such as `SIGKILL`; absent while it runs, and if it exited by itself. */
  readonly signal?: string
  /** The end of the standard error, at most 4,096 characters, without secrets; absent if it is empty. */
  readonly stderrTail?: string
}

/** A running process. Its standard error is read into `diagnostics`. */
export interface OwnedProcess {
  /** The standard input. Its errors are ignored: a broken pipe shows as the end of the process. */
  readonly stdin: Writable
  /** The standard output. A process whose output is not read blocks. */
  readonly stdout: Readable
  /**
   * Registers a listener of the end. It is called once, after the output has been read or 150 ms after the exit;
   * immediately if that is over.
   *
   * @param listener receives how the process ended; it must not throw, as later listeners would not be called
   */
  readonly onEnd: (listener: (end: ProcessEnd) => void) => void
  /** Lets the program end although the process and its pipes are open. By default they keep it running. */
  readonly unref: () => void
  /** Returns the exit code or signal and the end of the standard error, as far as they are known by now. */
  readonly diagnostics: () => Diagnostics
}

interface Running extends OwnedProcess {
  readonly tree: ProcessTree.ProcessTree
  readonly ended: () => boolean
  /** Waits for the end of the leader. */
  readonly exited: Effect.Effect<void>
}

/**
 * Starts a process that ends with the Scope: its input ends; if its process tree is still alive after a time, the tree
 * receives SIGTERM, and later SIGKILL. `ProcessCommand` has the times. A Scope that closes with a failure sends SIGKILL
 * immediately. The directory of `ownTemporary` is removed last.
 *
 * @param command the program, its arguments and environment, and how long it may take to end; `Environment.make` makes
 *   its `env` and `secrets`
 * @returns the process, once it has been spawned; fails with `ProcessError` if the command or its `cwd` does not exist
 *   or cannot be executed
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

/** The target with a temporary directory of its own below the one in its `env`; unchanged if none can be created. */
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
    const failed = (cause: unknown) => resume(Effect.fail(ProcessError.spawnFailed(target.command, cause)))
    const { cwd } = target
    if (cwd !== undefined) {
      const problem = WorkingDirectory.problem(cwd)
      if (problem !== undefined)
        return resume(Effect.fail(ProcessError.noDirectory(ProgramName.of(target), cwd, problem)))
    }
    let child: ChildProcessByStdio<Writable, Readable, Readable>
    const began = performance.now()
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
      const tree = ProcessTree.make(pid, mark, began)
      child.once("exit", () => {
        // Once its group is empty, the id may be reused.
        if (!ProcessTree.isGroupAlive(pid)) release(tree, guard)
      })
      resume(Effect.succeed(observe(child, tree, target)))
    })
  })

/** How long reading the output may take after the exit, in milliseconds: a grandchild may hold the pipes open. */
const drainTimeoutMillis = 150

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
    const timer = setTimeout(drain, drainTimeoutMillis)
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
    exited: Effect.callback((resume) => {
      const done = () => resume(Effect.void)
      if (end !== undefined) return done()
      child.once("exit", done)
      return Effect.sync(() => child.off("exit", done))
    }),
    onEnd: (listener) => {
      if (drained && end !== undefined) listener(end)
      else listeners.push(listener)
    },
    unref: () => {
      child.unref()
      for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as unknown as Partial<Socket>).unref?.()
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
 * Ends the input of a process and returns its output, once it has ended.
 *
 * @param process nothing may have been read from its output
 * @param limit about how many characters to return, 65,536 by default; further output is ignored
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

/** SIGKILL always works, so this limit only covers processes that the kernel blocks. */
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
  const signal = (name: "SIGTERM" | "SIGKILL") =>
    Effect.map(ProcessTable.scan(running.tree.since), (table) => ProcessTree.signal(running.tree, name, table))
  const kill = Effect.suspend(() => {
    const { pid } = running.tree
    if (pid !== undefined) ProcessTree.signalGroup(pid, "SIGKILL")
    return signal("SIGKILL")
  })
  if (Duration.isPositive(endOfInput)) yield* Effect.timeoutOption(running.exited, endOfInput)
  let over = yield* isGone(running)
  if (!over && Duration.isPositive(term)) {
    yield* signal("SIGTERM")
    over = yield* gone(running, term)
  }
  if (!over) yield* gone(running, lastResort, kill)
  running.stdin.destroy()
  running.stdout.destroy()
})

/** Whether no process of the tree is alive. The end of the leader is awaited before others are looked for. */
const isGone = ({ ended, tree }: Running) =>
  Effect.suspend(() =>
    ended()
      ? Effect.map(ProcessTable.scan(tree.since), (table) => ProcessTree.members(tree, table).length === 0)
      : Effect.succeed(false),
  )

/**
 * Waits until no process of the tree is alive.
 *
 * @param between runs between two checks
 */
const gone = Effect.fnUntraced(function* (
  running: Running,
  limit: Duration.Duration,
  between: Effect.Effect<void> = Effect.void,
): Effect.fn.Return<boolean> {
  const end = performance.now() + Duration.toMillis(limit)
  for (let pause = 2; performance.now() < end; pause = Math.min(pause * 2, 50)) {
    if (yield* isGone(running)) return true
    yield* between
    yield* running.ended() ? Effect.sleep(pause) : Effect.timeoutOption(running.exited, pause)
  }
  return yield* isGone(running)
})
