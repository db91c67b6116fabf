/**
 * The misbehaving server over HTTP, as a child process that is asked over its own pipes what it saw.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Given } from "./peer/Behaviour.ts"
import type { Observation } from "./peer/Sightings.ts"

/** `ask`: what it saw. `port`: where it listens. `closedPort`: where nobody does. */
export interface HttpPeerProcess {
  readonly port: number
  readonly closedPort: number
  readonly ask: (question: string) => Effect.Effect<Observation>
}

/** Starts the program. It ends with the Scope. */
export const start = (
  program: string,
  script: Given & { readonly secret: string },
): Effect.Effect<HttpPeerProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program, "http", JSON.stringify(script)], { stdio: ["pipe", "pipe", "inherit"] }),
      ),
      stop,
    )
    const nextLine = lines(child)
    const listening = JSON.parse(yield* nextLine) as Pick<HttpPeerProcess, "port" | "closedPort">
    return {
      ...listening,
      ask: (question) =>
        Effect.suspend(() => {
          child.stdin.write(`${question}\n`)
          return Effect.map(nextLine, (line) => JSON.parse(line) as Observation)
        }),
    }
  })

type Child = ChildProcessByStdio<Writable, Readable, null>

const stop = (child: Child) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("close", () => resume(Effect.void))
    child.stdin.end()
  })

/** The lines that it prints, one for each that waits, in order. */
const lines = (child: Child): Effect.Effect<string> => {
  const waiting: Array<(line: string) => void> = []
  const early: Array<string> = []
  createInterface({ input: child.stdout }).on("line", (line) => {
    const next = waiting.shift()
    if (next === undefined) early.push(line)
    else next(line)
  })
  return Effect.callback<string>((resume) => {
    const line = early.shift()
    if (line === undefined) waiting.push((late) => resume(Effect.succeed(late)))
    else resume(Effect.succeed(line))
  })
}
