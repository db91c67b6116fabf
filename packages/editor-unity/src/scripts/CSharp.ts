/**
 * Parses C# and matches patterns, in a thread that lives no longer than a Scope.
 */
import { Worker } from "node:worker_threads"
import type { DomainError } from "@zain/editor-link/domain/DomainError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Answer, Jobs } from "./CSharpThread.ts"
import * as ScriptRefusal from "./ScriptRefusal.ts"

/**
 * Does a job in the thread. Jobs wait for each other. One that fails or takes too long leaves the next ones alone; one that is
 * interrupted ends with the Scope.
 */
export type CSharp = <Name extends keyof Jobs>(
  name: Name,
  input: Parameters<Jobs[Name]>[0],
  subject: string,
) => Effect.Effect<Awaited<ReturnType<Jobs[Name]>>, DomainError>

/** How long one job may take, in milliseconds of the processor's time. */
const limits: Readonly<Record<keyof Jobs, number>> = {
  outline: 10_000,
  occurrences: 10_000,
  edited: 10_000,
  matches: 2_000,
  globbed: 2_000,
}

/** A thread has a heap of 512 MiB. What it prints does not reach the output of this process, which is a protocol's. */
const options = { env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 512 } }

/** Threads that work at once in this process: whatever opens one runs as one of two. */
export const oneOfTwo = Semaphore.makeUnsafe(2).withPermits(1)

/** A bundle has the thread's program beside itself. */
const program = new URL(import.meta.url.endsWith(".ts") ? "CSharpThread.ts" : "zain-editor-csharp.js", import.meta.url)

/** The thread starts with the first job. */
export const open: Effect.Effect<CSharp, never, Scope.Scope> = Effect.gen(function* () {
  let thread: Worker | undefined
  let last = 0
  const end = () => {
    const ended = thread?.terminate()
    thread = undefined
    return ended
  }
  const start = () => {
    const worker = new Worker(program, options)
    worker.once("exit", () => {
      if (thread === worker) thread = undefined
    })
    // One that comes between jobs: the next job starts a thread anew.
    return worker.on("error", () => {})
  }
  yield* Effect.addFinalizer(() => Effect.promise(async () => end()))
  const turn = Semaphore.makeUnsafe(1)

  const run = (name: keyof Jobs, input: unknown, subject: string) =>
    Effect.callback<unknown, DomainError>((resume) => {
      const number = ++last
      thread ??= start()
      const worker = thread
      let timer: NodeJS.Timeout | undefined
      const over = (outcome: Effect.Effect<unknown, DomainError>) => {
        stop()
        resume(outcome)
      }
      const give = (answer: Answer) => {
        if (answer.number !== number) return
        if (answer.failure === undefined) return over(Effect.succeed(answer.output))
        // A parser that had no memory left parses nothing more.
        void end()
        over(Effect.fail(ScriptRefusal.failed(`${subject}: ${answer.failure}`)))
      }
      const fail = (cause: Error) => {
        void end()
        over(Effect.fail(ScriptRefusal.failed(`${subject}: the C# parser stopped: ${cause.message}`)))
      }
      const gone = () => fail(new Error("its thread ended"))
      const stop = () => {
        clearTimeout(timer)
        worker.off("message", give)
        worker.off("error", fail)
        worker.off("exit", gone)
      }
      const before = process.cpuUsage()
      const wait = (rest: number) => {
        timer = setTimeout(() => {
          const { system, user } = process.cpuUsage(before)
          const left = Math.ceil(limits[name] - (system + user) / 1_000)
          if (left > 0) return wait(left)
          void end()
          over(Effect.fail(ScriptRefusal.slow(subject, limits[name])))
        }, rest)
      }
      worker.on("message", give)
      worker.on("error", fail)
      worker.on("exit", gone)
      worker.postMessage({ number, name, input })
      wait(limits[name])
      return Effect.sync(stop)
    })
  return ((name, input, subject) => turn.withPermits(1)(run(name, input, subject))) as CSharp
})
