import { assert, describe } from "@effect/vitest"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import * as ToolServer from "@zain/tool-server/ToolServer"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import * as TestServer from "../testing/TestServer.ts"

/** A server whose client's resources take long to release. */
const holding = Effect.gen(function* () {
  const letGo = yield* Deferred.make<void>()
  let held = 0
  let taken = 0
  const attach = Effect.acquireRelease(
    Effect.sync(() => {
      held++
      taken++
    }),
    () =>
      Effect.andThen(
        Deferred.await(letGo),
        Effect.sync(() => held--),
      ),
  )
  const client = () =>
    Effect.sync(() => {
      const attachment = ClientAttachment.make(attach)
      return { call: () => attachment.use(() => Effect.never), isBusy: attachment.isBusy, leave: attachment.leave }
    })
  const server = ToolServer.make({ name: "test", title: "Test", version: "0", instructions: "", tools: [], client })
  return { server, letGo: Deferred.succeed(letGo, undefined), held: () => held, taken: () => taken }
})

/** The client of a server, and every message it has received. */
const joined = Effect.fnUntraced(function* (server: ToolServer.ToolServer) {
  const [here, there] = InMemoryTransport.createLinkedPair()
  const heard: Array<Messages.Message> = []
  here.onmessage = (message) => void heard.push(message as Messages.Message)
  const session = yield* server.session(there)
  yield* Effect.promise(() => here.start())
  const say = (text: string) => void here.send(JSON.parse(text) as JSONRPCMessage)
  say(Messages.initialize)
  yield* TestServer.eventually(() => heard.length === 1)
  const answer = (id: number) => heard.find((message) => message.id === id)
  return { answer, here, say, session }
})

describe("a session", () => {
  test.live("rejects calls while it ends, since their resources would leak (promise 30)", function* () {
    const { held, letGo, server, taken } = yield* holding
    const scope = yield* Scope.make()
    const { answer, say } = yield* Scope.provide(joined(server), scope)
    say(Messages.call(1, "x"))
    yield* TestServer.eventually(() => held() === 1)
    const ending = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
    yield* TestServer.eventually(() => answer(1) !== undefined)
    say(Messages.call(2, "x"))
    yield* TestServer.eventually(() => answer(2) !== undefined)
    assert.isTrue(answer(2)?.result?.isError)
    yield* letGo
    yield* Fiber.join(ending)
    assert.deepStrictEqual([held(), taken()], [0, 1])
  })
})
