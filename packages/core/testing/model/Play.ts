/** One run of the model: operations on a client, with their outcomes in a ledger. */
import type { McpConnectionConfig, McpError } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpSessionId } from "@zain/core/McpSessionId"
import { Effect, Exit, type Fiber, Scope, Stream } from "effect"
import { inWords } from "../HeldAgent.ts"
import * as Ledger from "./Ledger.ts"
import * as Stepper from "./Stepper.ts"

/** The outcome of connect: success, failure or none. */
export const opens = ["well", "badly", "never"] as const
export type Open = (typeof opens)[number]

/** The limits of every session, small enough to be reached. */
export const limits = { maxWaiting: 2, idleTimeout: 60_000 }

/** The parts of a run that its agent uses. */
export interface Surroundings {
  readonly stepper: Stepper.Stepper
  readonly note: Ledger.Ledger["note"]
}

/**
 * The agent's side.
 *
 * - `config`: the configuration of a session with this number and outcome
 * - `prompt`: the prompt for a deed
 * - `kill`: ends the agent of a session, if the test can
 * - `quiet`: resolves when nothing happens outside of the stepper's tasks
 */
export interface Agent {
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly config: (session: number, open: Open) => McpConnectionConfig
  readonly prompt: (operation: number, deed: Ledger.Deed) => string
  readonly kill: (session: number) => void
  readonly quiet: () => Promise<void>
}

/** Operations; the ledger has each call and its outcome. `steps`: after how many operations the fiber yields. */
export interface Play {
  readonly stepper: Stepper.Stepper
  readonly ledger: Ledger.Ledger
  readonly open: (open: Open, steps: number | undefined) => void
  readonly execute: (pick: number, deed: Ledger.Deed, deadline: number | undefined, steps: number | undefined) => void
  readonly beside: (pick: number, how: "steer" | "fork", steps: number | undefined) => void
  readonly close: (pick: number, steps: number | undefined) => void
  readonly interrupt: (pick: number) => void
  readonly kill: (pick: number) => void
  readonly settle: () => Promise<void>
  readonly dispose: () => Promise<void>
}

/** Makes a client with an agent of this kind. */
export const make = async (agentOf: (surroundings: Surroundings) => Agent): Promise<Play> => {
  const stepper = Stepper.make()
  const ledger = Ledger.make(stepper.now)
  const { note } = ledger
  const agent = agentOf({ stepper, note })
  const ids: Array<readonly [number: number, id: McpSessionId]> = []
  const operations: Array<Fiber.Fiber<unknown, McpError>> = []
  const scope = Scope.makeUnsafe()
  let adapter: McpClientAdapter | undefined
  let sessions = 0

  const start = <A>(effect: Effect.Effect<A, McpError>, steps: number | undefined, succeeded: (value: A) => string) => {
    const operation = operations.length
    const fiber = stepper.fork(effect, steps)
    operations.push(fiber)
    fiber.addObserver((exit) => {
      note({ what: "ended", operation, said: Exit.isSuccess(exit) ? succeeded(exit.value) : failureOf(exit) })
    })
  }

  const read = (number: number, id: McpSessionId) => {
    const noted = Stream.runForEach(client().events(id), (event) =>
      Effect.sync(() => note({ what: "event", session: number, event })),
    )
    stepper.fork(Effect.ignore(noted))
  }
  const client = (): McpClientAdapter => {
    if (adapter === undefined) throw new Error("The client is not made yet.")
    return adapter
  }

  const settle = async () => {
    stepper.drain()
    await agent.quiet()
    note({ what: "settled" })
  }

  stepper.fork(
    Effect.map(Scope.provide(agent.make, scope), (made) => {
      adapter = made
    }),
  )
  stepper.drain()
  await agent.quiet()

  return {
    stepper,
    ledger,
    open: (open, steps) => {
      const number = sessions++
      note({ what: "opening", operation: operations.length, session: number })
      start(client().openSession(agent.config(number, open)), steps, (id) => {
        ids.push([number, id])
        read(number, id)
        return "ok"
      })
    },
    execute: (pick, deed, deadline, steps) => {
      const session = ids[pick % ids.length]
      if (session === undefined) return
      const operation = operations.length
      const due = deadline === undefined ? Number.POSITIVE_INFINITY : stepper.now() + deadline
      note({ what: "asked", operation, session: session[0], deed, due, isPrompt: steps === undefined })
      const request = { content: agent.prompt(operation, deed), ...(deadline === undefined ? {} : { deadline }) }
      start(client().execute(session[1], request as { readonly content: string }), steps, ({ content, isError }) =>
        isError ? `ok, an error: ${content}` : `ok: ${content}`,
      )
    },
    beside: (pick, how, steps) => {
      const session = ids[pick % ids.length]
      if (session === undefined) return
      const name = String(operations.length)
      note({ what: "beside", operation: operations.length, session: session[0], how })
      if (how === "steer") start(client().steer(session[1], name), steps, (steered) => steered)
      else start(client().threads.fork(session[1], name), steps, () => "ok")
    },
    close: (pick, steps) => {
      const session = ids[pick % ids.length]
      if (session === undefined) return
      note({ what: "closing", operation: operations.length, session: session[0], isPrompt: steps === undefined })
      start(client().closeSession(session[1]), steps, () => "ok")
    },
    interrupt: (pick) => {
      const operation = pick % operations.length
      const fiber = operations[operation]
      if (fiber === undefined || fiber.pollUnsafe() !== undefined) return
      note({ what: "interrupting", operation })
      fiber.interruptUnsafe()
    },
    kill: (pick) => {
      const session = ids[pick % ids.length]
      if (session !== undefined) agent.kill(session[0])
    },
    settle,
    dispose: async () => {
      note({ what: "disposing" })
      stepper.fork(Scope.close(scope, Exit.void))
      await settle()
    },
  }
}

const failureOf = (exit: Exit.Failure<unknown, McpError>): string => {
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Fail") return inWords(reason.error)
    if (reason._tag === "Die") return "defect"
  }
  return "interrupted"
}
