/**
 * The real command `zain` as a process: behind pipes, and on a terminal.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import * as pty from "@lydell/node-pty"
import { Effect, Result, type Scope } from "effect"

const program = fileURLToPath(new URL("../../dist/zain.js", import.meta.url))
const command = [process.execPath, program] as const

/** The whole environment of a process. */
export type Variables = Readonly<Record<string, string>>

/** Where it is started. */
export interface Place {
  readonly cwd: string
  readonly env: Variables
}

/**
 * A `zain` that was started.
 *
 * - `output`, `errors`: what it has said; on a terminal the two are one
 */
export interface Zain {
  readonly pid: number
  readonly output: () => string
  readonly errors: () => string
  /** Waits until an output holds something. */
  readonly says: (stream: "output" | "errors", pattern: RegExp) => Effect.Effect<void>
  /** Presses keys, or writes to standard input. */
  readonly type: (text: string) => void
  readonly endInput: () => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** The exit code, or the signal that ended it. */
  readonly exit: Effect.Effect<number | string>
}

/** @param shell what a shell makes of it, such as `"$@" | head -1` */
export const behindPipes = (args: ReadonlyArray<string>, place: Place, shell = 'exec "$@"') =>
  piped(["/bin/bash", "-c", shell, "bash", ...command, ...args], place)

/** On a terminal of a hundred columns, which `TERM` may name. */
export const onTerminal = (args: ReadonlyArray<string>, place: Place, shell = 'exec "$@"') =>
  drawn(["/bin/bash", "-c", shell, "bash", ...command, ...args], place)

const piped = (words: ReadonlyArray<string>, { cwd, env }: Place): Effect.Effect<Zain, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Zain => {
      const [file = "", ...args] = words
      const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
      const texts = { output: listening(), errors: listening() }
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8").on("data", texts.output.hear)
      child.stderr.setEncoding("utf8").on("data", texts.errors.hear)
      const ended = new Promise<number | string>((resolve) =>
        child.once("close", (code, signal) => {
          texts.output.end()
          texts.errors.end()
          resolve(code ?? String(signal))
        }),
      )
      return {
        pid: child.pid ?? 0,
        output: texts.output.all,
        errors: texts.errors.all,
        says: (stream, pattern) => texts[stream].says(pattern),
        type: (text) => void child.stdin.write(text),
        endInput: () => void child.stdin.end(),
        kill: (signal) => void child.kill(signal),
        exit: Effect.promise(() => ended),
      }
    }),
    ended,
  )

const drawn = (words: ReadonlyArray<string>, { cwd, env }: Place): Effect.Effect<Zain, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Zain => {
      const [file = "", ...args] = words
      const child = pty.spawn(file, args, { name: env["TERM"] ?? "xterm-256color", cols: 100, rows: 30, cwd, env })
      const text = listening()
      child.onData(text.hear)
      const ended = new Promise<number>((resolve) => {
        child.onExit(({ exitCode }) => {
          text.end()
          resolve(exitCode)
        })
      })
      return {
        pid: child.pid,
        output: text.all,
        errors: text.all,
        says: (_, pattern) => text.says(pattern),
        type: (keys) => child.write(keys),
        endInput: () => child.write("\u0004"),
        kill: (signal) => child.kill(signal),
        exit: Effect.promise(() => ended),
      }
    }),
    ended,
  )

/** The process may have ended already. */
const ended = ({ exit, kill }: Zain) =>
  Effect.andThen(
    Effect.sync(() => void Result.try(() => kill("SIGKILL"))),
    exit,
  )

/** A growing text, with waiters for parts of it. */
const listening = () => {
  let text = ""
  let isOver = false
  const waiting = new Set<() => void>()
  const lookAgain = () => {
    for (const look of [...waiting]) look()
  }
  return {
    all: () => text,
    hear: (piece: string) => {
      text += piece
      lookAgain()
    },
    end: () => {
      isOver = true
      lookAgain()
    },
    says: (pattern: RegExp) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          const isSaid = pattern.test(text)
          if (!isSaid && !isOver) return
          waiting.delete(look)
          resume(isSaid ? Effect.void : Effect.die(new Error(`It ended, and did not say ${pattern}, but: ${text}`)))
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      }),
  }
}

/** What a terminal shows: no colours, and no line that was drawn over. */
export const seen = (text: string): string => stripVTControlCharacters(text).replace(/[^\n]*\r(?!\n)/g, "")
