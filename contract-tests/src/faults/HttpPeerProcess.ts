/**
 * The misbehaving server over HTTP, as a child process that reports over its pipes what it received.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Given } from "./peer/Behaviour.ts"
import type { Observation } from "./peer/Sightings.ts"

/** `ask`: returns what the server received. `port`: its port. `closedPort`: a port without a server. */
export interface HttpPeerProcess {
  readonly port: number
  readonly closedPort: number
  readonly ask: (question: string) => Effect.Effect<Observation>
}

/** Starts the process, which ends with the Scope. */
export const start = Effect.fnUntraced(function* (
  program: string,
  script: Given & { readonly secret: string },
): Effect.fn.Return<HttpPeerProcess, never, Scope.Scope> {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, "http", JSON.stringify(script)], { stdio: ["pipe", "pipe", "inherit"] }),
    ),
    stop,
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => JSON.parse(String((await lines.next()).value))
  const listening: Pick<HttpPeerProcess, "port" | "closedPort"> = yield* Effect.promise(nextLine)
  return {
    ...listening,
    // Each question takes its line also if it is interrupted.
    ask: (question) =>
      Effect.promise((): Promise<Observation> => {
        child.stdin.write(`${question}\n`)
        return nextLine()
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
