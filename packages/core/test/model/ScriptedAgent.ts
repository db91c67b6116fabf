/** An agent whose every action is a task of the stepper. */
import {
  type ConnectionUnavailable,
  type ConnectionUnavailableReason,
  McpConnectionConfig,
  type McpDelivery,
  McpError,
  type McpSessionRuntime,
} from "@zain/core"
import type { AgentConnection, Answer, Turn } from "@zain/core/AgentConnection"
import * as Effect from "effect/Effect"
import { supports } from "../HeldAgent.ts"
import * as EventLaws from "./EventLaws.ts"
import { type Deed, deeds } from "./Ledger.ts"
import type { Subject } from "./Model.ts"
import * as Play from "./Play.ts"

/** @param make the runtime to test */
export const subject = (make: typeof McpSessionRuntime.make): Omit<Subject, "runs"> => ({
  able: { deeds, opens: Play.opens },
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

const agent =
  (make: typeof McpSessionRuntime.make) =>
  ({ note, stepper }: Play.Surroundings): Play.Agent => {
    const kills = new Map<number, () => void>()
    const rest = Effect.callback<void>((resume) => stepper.schedule(() => resume(Effect.void)))

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
      const stop = (error: McpError) => {
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

      const act = (operation: number, deed: Deed, { emit }: Turn) => {
        const next = (does: () => void) => stepper.schedule(() => underWay?.operation === operation && does())
        const finish = (how: Effect.Effect<Answer, McpError>) =>
          next(() => {
            note({ what: "finished", operation })
            const turn = underWay
            underWay = undefined
            turn?.end(how)
          })
        const say = () => finish(Effect.succeed({ content: answer(operation), isError: false }))
        const piece = (index: number): void =>
          next(() => {
            note({ what: "sign", operation })
            emit({ _tag: "TextDelta", text: EventLaws.piece(operation, index) })
            if (index === EventLaws.pieces) say()
            else piece(index + 1)
          })
        if (deed === "say") say()
        else if (deed === "tell") piece(1)
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
        execute: ({ content }, turn) => {
          const [operation, deed] = JSON.parse(content) as [number, Deed]
          stopped = undefined
          return Effect.callback((resume) => {
            if (stopped !== undefined) return resume(Effect.fail(stopped))
            if (isDead) return resume(Effect.fail(failure("server-exited", "not-sent")))
            note({ what: "began", operation })
            underWay = { operation, end: resume }
            act(operation, deed, turn)
            return Effect.sync(() => {
              tell(operation)
              if (underWay?.operation === operation) underWay = undefined
            })
          })
        },
      }
    }

    return {
      config: (session, open) => ({
        ...McpConnectionConfig.stdio({ command: "scripted", providerOptions: { session, open } }),
        ...Play.limits,
      }),
      prompt: (operation, deed) => JSON.stringify([operation, deed]),
      kill: (session) => kills.get(session)?.(),
      quiet: async () => {},
      make: make({
        provider: "scripted",
        supports,
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
