/** The Codex adapter and a fake Codex, with a connection on which every message is a task of the stepper. */

import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { WireFactory } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import * as EventLaws from "../../../../packages/core/testing/model/EventLaws.ts"
import type { Deed } from "../../../../packages/core/testing/model/Ledger.ts"
import type { Subject } from "../../../../packages/core/testing/model/Model.ts"
import * as Play from "../../../../packages/core/testing/model/Play.ts"

const prompt = (operation: number, deed: Deed): string => {
  const nonce = `n${operation}`
  switch (deed) {
    case "tell":
      return ContractScript.prompt({ _tag: "Events", count: EventLaws.pieces, text: `${operation}.` }, nonce)
    case "fail":
      return ContractScript.prompt({ _tag: "Fail", reason: `failure ${operation}` }, nonce)
    case "hang":
      return ContractScript.prompt({ _tag: "Hang" }, nonce)
    case "die":
      return ContractScript.prompt({ _tag: "Exit" }, nonce)
    default:
      return ContractScript.prompt({ _tag: "Say", text: `answer ${operation}` }, nonce)
  }
}

const expected = (operation: number, deed: Deed): string => {
  if (deed === "fail") return `ok, an error: failure ${operation}`
  if (deed !== "tell") return `ok: answer ${operation}`
  return `ok: ${Array.from({ length: EventLaws.pieces }, (_, index) => EventLaws.piece(operation, index + 1)).join(" ")}`
}

/** The execute to which a call belongs. */
const operationOf = (message: JsonRpcMessage): number | undefined => {
  const [, digits] = /⟦zain:[a-z]+#n(\d+)/u.exec(JSON.stringify(message)) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const agent = ({ note, stepper }: Play.Surroundings): Play.Agent => {
  const fake = FakePeer.inMemory(fakeCodex)

  const connect: WireFactory = (target) =>
    Effect.gen(function* () {
      if (target.transport !== "stdio") return yield* fake.connect(target)
      const session = Number(target.args[0])
      let isOpen = true
      yield* Effect.acquireRelease(
        Effect.sync(() => note({ what: "connected", session })),
        () => Effect.sync(() => note({ what: "released", session })),
      )
      const wire = yield* fake.connect(target)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isOpen = false
        }),
      )
      const calls = new Map<unknown, number>()
      const arriving: Array<() => void> = []
      const arrives = (happens: () => void) => {
        arriving.push(happens)
        stepper.schedule(() => {
          const next = arriving.shift()
          if (isOpen) next?.()
        })
      }
      const notes = (what: "finished" | "sign" | "notified", id: unknown) => {
        const operation = calls.get(id)
        if (operation !== undefined) note({ what, operation })
      }
      return {
        ...wire,
        listen: (listener) =>
          wire.listen({
            ...listener,
            message: (message) =>
              arrives(() => {
                if ("method" in message) for (const id of calls.keys()) notes("sign", id)
                else notes("finished", message.id)
                listener.message(message)
              }),
            ended: (error) =>
              arrives(() => {
                note({ what: "died", session })
                listener.ended(error)
              }),
          }),
        send: (message) => {
          if ("method" in message && message.method === "notifications/cancelled") {
            notes("notified", (message.params as { readonly requestId?: unknown }).requestId)
          }
          const operation = operationOf(message)
          if (operation !== undefined && "id" in message) {
            calls.set(message.id, operation)
            note({ what: "began", operation })
          }
          return wire.send(message)
        },
      }
    })

  /** The fake answers in microtasks: if one look finds nothing to do, nothing more will arrive. */
  const quiet = async () => {
    for (let looks = 0; looks < 2; looks++) {
      await new Promise((resolve) => setImmediate(resolve))
      while (stepper.step(0)) looks = -1
    }
  }

  return {
    prompt,
    quiet,
    kill: () => {},
    config: (session, open) => {
      const { serverUrl, transport } = { well: fake.config, badly: fake.unreachable, never: fake.silent }[open]
      return { serverUrl: `${serverUrl}?arg=${session}`, transport, ...Play.limits }
    },
    make: CodexMcpClientAdapter.make({ profile: "native", connect }),
  }
}

/** Codex loses its conversation after a cancelled turn, and after a failed one. */
export const subject: Omit<Subject, "runs"> = {
  agent,
  able: { deeds: ["say", "tell", "fail", "hang", "die"], opens: ["well", "badly", "never"] },
  traits: { expected, losesBy: ["cancel", "failure"] },
}
