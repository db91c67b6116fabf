/** An agent whose every action is a task of the stepper. */
import { setImmediate } from "node:timers/promises"
import {
  type ConnectionUnavailable,
  type ConnectionUnavailableReason,
  McpConnectionConfig,
  type McpDelivery,
  McpError,
  type McpSessionRuntime,
  McpTool,
} from "@zain/core"
import type { AgentConnection, AgentThreads, Answer, Turn } from "@zain/core/AgentConnection"
import type { McpSteered } from "@zain/core/McpSteer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { supports } from "../../testing/HeldAgent.ts"
import * as EventLaws from "../../testing/model/EventLaws.ts"
import { type Deed, deeds } from "../../testing/model/Ledger.ts"
import type { Subject } from "../../testing/model/Model.ts"
import * as Play from "../../testing/model/Play.ts"
// What is loaded with the first tool takes time outside of the stepper.
import "../../src/validation/EffectSchema.ts"
import "../../src/validation/JsonSchemaCheck.ts"

/** @param make the runtime to test */
export const subject = (make: typeof McpSessionRuntime.make): Omit<Subject, "runs"> => ({
  able: { deeds, opens: Play.opens, beside: true },
  traits: { expected, losesBy: [] },
  agent: agent(make),
})

const expected = (operation: number, deed: Deed): string => {
  if (deed === "break") return "defect"
  return deed === "fail" ? "ConnectionUnavailable server-error unknown" : `ok: ${answer(operation)}`
}

const answer = (operation: number) => `answer ${operation}`

const failure = (reason: ConnectionUnavailableReason, delivery: McpDelivery = "unknown"): ConnectionUnavailable =>
  new McpError.ConnectionUnavailable({ reason, delivery, message: "As scripted." })

const noThreads: AgentThreads = {
  list: () => Effect.never,
  read: () => Effect.never,
  fork: () => Effect.never,
  change: () => Effect.never,
}

const agent =
  (make: typeof McpSessionRuntime.make) =>
  ({ note, stepper }: Play.Surroundings): Play.Agent => {
    const kills = new Map<number, () => void>()
    const rest = Effect.callback<void>((resume) => stepper.schedule(() => resume(Effect.void)))
    const fork = (operation: number) =>
      Effect.andThen(
        rest,
        Effect.sync(() => note({ what: "forked", operation })),
      )
    const tool = McpTool.make({
      name: "tool",
      description: "Runs.",
      input: Schema.Struct({ operation: Schema.Number }),
      run: ({ operation }) => note({ what: "ran", operation }),
    })

    const connection = (session: number): AgentConnection => {
      let isDead = false
      /** Set by `abort`, which may be called before a turn has run a step. */
      let stopped: McpError | undefined
      let underWay:
        | {
            readonly operation: number
            readonly end: (how: Effect.Effect<Answer, McpError>) => void
          }
        | undefined
      let steers: ReadonlyArray<{ readonly operation: number; readonly end: (how: McpSteered) => void }> = []
      const settle = (how: McpSteered) => {
        const settled = steers
        steers = []
        for (const { end, operation } of settled) {
          if (how === "applied") note({ what: "took", operation })
          end(how)
        }
      }
      const stop = (error: McpError) => {
        settle("queued")
        const turn = underWay
        underWay = undefined
        turn?.end(Effect.fail(error))
      }
      const die = () => {
        if (isDead) return
        isDead = true
        note({ what: "died", session })
        stop(failure("server-exited"))
      }
      const tell = (operation: number) => {
        if (underWay?.operation === operation) note({ what: "notified", operation })
      }
      kills.set(session, die)

      const act = (operation: number, deed: Deed, { callTool, emit }: Turn) => {
        const next = (does: () => void) => stepper.schedule(() => underWay?.operation === operation && does())
        const finish = (how: Effect.Effect<Answer, McpError>) =>
          next(() => {
            note({ what: "finished", operation })
            settle("queued")
            const turn = underWay
            underWay = undefined
            turn?.end(how)
          })
        const say = () => {
          next(() => settle("applied"))
          finish(Effect.succeed({ content: answer(operation), isError: false }))
        }
        const piece = (index: number): void =>
          next(() => {
            note({ what: "sign", operation })
            emit({ _tag: "TextDelta", text: EventLaws.piece(operation, index) })
            if (index === EventLaws.pieces) say()
            else piece(index + 1)
          })
        if (deed === "say") say()
        else if (deed === "tell") piece(1)
        // The agent calls the tool even if its turn is over by then.
        else if (deed === "use")
          stepper.schedule(() => void stepper.fork(Effect.map(callTool("tool", { operation }), say)))
        else if (deed === "fail") finish(Effect.fail(failure("server-error")))
        else if (deed === "break") finish(Effect.die("as scripted"))
        else if (deed === "die") next(die)
      }

      return {
        abort: (error) => {
          if (underWay !== undefined) tell(underWay.operation)
          stopped = error
          stop(error)
        },
        steer: (content) =>
          Effect.callback((resume) => {
            const steer = { operation: Number(content), end: (how: McpSteered) => resume(Effect.succeed(how)) }
            steers = [...steers, steer]
            return Effect.sync(() => {
              steers = steers.filter((one) => one !== steer)
            })
          }),
        threads: { ...noThreads, fork: (operation) => Effect.as(fork(Number(operation)), "a copy") },
        execute: ({ content }, turn) => {
          const texts = content.split("\n\n")
          const [operation, deed] = JSON.parse(texts.pop() ?? "") as [number, Deed]
          stopped = undefined
          return Effect.callback((resume) => {
            if (stopped !== undefined) return resume(Effect.fail(stopped))
            if (isDead) return resume(Effect.fail(failure("server-exited", "not-sent")))
            note({ what: "began", operation })
            for (const text of texts) note({ what: "took", operation: Number(text) })
            underWay = { operation, end: resume }
            act(operation, deed, turn)
            return Effect.sync(() => {
              tell(operation)
              if (underWay?.operation !== operation) return
              settle("queued")
              underWay = undefined
            })
          })
        },
      }
    }

    return {
      config: (session, open) => ({
        ...McpConnectionConfig.stdio({ command: "scripted", providerOptions: { session, open } }),
        ...Play.limits,
        tools: session % 2 === 0 ? [tool] : [],
      }),
      prompt: (operation, deed) => JSON.stringify([operation, deed]),
      kill: (session) => kills.get(session)?.(),
      // The check of a tool's arguments is a module that is loaded outside of the stepper.
      quiet: async () => {
        for (let turn = 0; turn < 4; turn++) {
          await setImmediate()
          stepper.drain()
        }
      },
      make: make({
        provider: "scripted",
        supports: { ...supports, steer: true, threads: true, tools: true },
        connect: Effect.fnUntraced(function* ({ providerOptions }) {
          const { open, session } = providerOptions as { readonly open: Play.Open; readonly session: number }
          yield* Effect.acquireRelease(
            Effect.sync(() => note({ what: "connected", session })),
            () =>
              Effect.andThen(
                rest,
                Effect.sync(() => note({ what: "released", session })),
              ),
          )
          yield* rest
          if (open === "badly") return yield* failure("unreachable", "not-sent")
          if (open === "never") return yield* Effect.never
          return connection(session)
        }),
      }),
    }
  }
