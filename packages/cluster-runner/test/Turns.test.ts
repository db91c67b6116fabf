import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import type { Ledger } from "@zain/cluster-client/Ledger"
import type { AgentRequest, Answer } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import * as McpResult from "@zain/core/McpResult"
import { test } from "@zain/testkit/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import * as AgentRunner from "../src/AgentRunner.ts"
import * as OneProcess from "../testing/OneProcess.ts"

const run = (test: Effect.Effect<unknown, unknown, Scope.Scope>) => Effect.runPromise(Effect.scoped(test))
const config = ClusterMcpClient.config("scripted")
const echo = () => OneProcess.scripted(({ content }) => Effect.succeed({ content: `${content}!` }))
const turn = (number: number) => ({ key: { _tag: "Turn", number }, prompt: { content: "again" } }) as const
/** An agent whose prompt `hang` never ends; `reached` is done when it has arrived. */
const hanging = (more?: Parameters<typeof OneProcess.scripted>[1]) => {
  const reached = Deferred.makeUnsafe<void>()
  const reply = ({ content }: AgentRequest): Effect.Effect<Pick<Answer, "content">, McpError> =>
    content === "hang"
      ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      : Effect.succeed({ content })
  return { ...OneProcess.scripted(reply, more), reached: Deferred.await(reached) }
}
/** The error of a turn that is sent to the second runner. */
const again = (
  cluster: { readonly other: Effect.Success<ReturnType<typeof OneProcess.start>>["other"] },
  id: string,
  number: number,
) =>
  Effect.flatMap(cluster.other(id), (other) =>
    Effect.flip(Stream.runCollect(other.turn({ session: OneProcess.session(id), ...turn(number) }))),
  )

/** Promise 1 of the cluster: a turn that is sent again, to a runner that has taken the session over, reaches no agent twice. */
const atMostOnce = (wrap?: (ledger: Ledger) => Ledger) =>
  Effect.gen(function* () {
    const agent = hanging()
    const cluster = yield* OneProcess.start(agent, wrap)
    const client = yield* cluster.client()
    const id = yield* client.openSession(config)
    const asking = yield* Effect.forkScoped(Effect.flip(client.execute(id, { content: "hang" })), {
      startImmediately: true,
    })
    yield* agent.reached
    yield* cluster.end
    expect(yield* Fiber.join(asking)).toMatchObject({ reason: "connection-lost", delivery: "unknown" })
    expect(yield* again(cluster, id, 1)).toMatchObject({ reason: "connection-lost", delivery: "unknown" })
    expect(agent.prompts).toEqual(["hang"])
  })

/** Promise 3: a runner whose claim is old begins no turn. */
const oneOwner = (wrap?: (ledger: Ledger) => Ledger) =>
  Effect.gen(function* () {
    const agent = echo()
    const cluster = yield* OneProcess.start(agent, wrap)
    const client = yield* cluster.client()
    const id = yield* client.openSession(config)
    yield* client.execute(id, { content: "one" })
    const other = yield* cluster.other(id)
    yield* Stream.runDrain(other.turn({ session: OneProcess.session(id, { hasTurns: true }), ...turn(7) }))
    expect(agent.opened.map(({ providerOptions }) => providerOptions["threadId"])).toEqual([undefined, "thread"])
    expect(yield* Effect.flip(client.execute(id, { content: "stale" }))).toMatchObject({
      ...{ reason: "connection-lost", delivery: "not-sent", threadId: "thread" },
    })
    expect(agent.prompts).toEqual(["one", "again"])
    // The engine still sends it to the first runner, which claims the session anew.
    expect(yield* client.execute(id, { content: "two" })).toMatchObject({ content: "two!" })
  })

it("a turn that is sent again after its runner was lost reaches no agent twice, and both senders receive `unknown`", () =>
  run(atMostOnce()))
it("a runner whose claim is old begins no turn, and the new one continues the conversation", () => run(oneOwner()))
it("a ledger that lets every turn begin fails the case of at most once", async () => {
  const mutant = (ledger: Ledger): Ledger => ({ ...ledger, begin: () => Effect.succeed({ _tag: "Mine" }) })
  await expect(run(atMostOnce(mutant))).rejects.toThrow()
})
it("a ledger that ignores the epoch fails the case of one owner", async () => {
  const mutant = (ledger: Ledger): Ledger => ({
    ...ledger,
    begin: (turn) => Effect.map(ledger.begin(turn), (known) => (known._tag === "Stale" ? { _tag: "Mine" } : known)),
  })
  await expect(run(oneOwner(mutant))).rejects.toThrow()
})

test.live(
  "a session whose runner was lost before the agent named its thread is `conversation-lost`, after `unknown`",
  function* () {
    const agent = hanging({ isNameless: true })
    const cluster = yield* OneProcess.start(agent)
    const client = yield* cluster.client()
    const id = yield* client.openSession(config)
    yield* Effect.forkScoped(Effect.flip(client.execute(id, { content: "hang" })), { startImmediately: true })
    yield* agent.reached
    yield* cluster.end
    expect(yield* again(cluster, id, 2)).toMatchObject({ reason: "conversation-lost", delivery: "not-sent" })
    expect(agent.prompts).toEqual(["hang"])
  },
)

test.live(
  "a turn that no runner accepts within `acceptTimeout` fails with `unreachable` and `not-sent`, and never begins",
  function* () {
    const over = Deferred.makeUnsafe<void>()
    const agent = OneProcess.scripted(({ content }) =>
      content === "first"
        ? Effect.uninterruptible(Effect.as(Deferred.await(over), { content }))
        : Effect.succeed({ content }),
    )
    const cluster = yield* OneProcess.start(agent)
    const client = yield* cluster.client({ acceptTimeout: "200 millis" })
    const id = yield* client.openSession(config)
    const first = yield* Effect.forkScoped(client.execute(id, { content: "first" }), { startImmediately: true })
    while (agent.prompts.length === 0) yield* Effect.yieldNow
    yield* Fiber.interrupt(first)
    const failed = yield* Effect.flip(client.execute(id, { content: "second" }))
    expect(failed).toMatchObject({ reason: "unreachable", delivery: "not-sent" })
    yield* Deferred.succeed(over, undefined)
    expect(yield* client.execute(id, { content: "third" })).toMatchObject({ content: "third" })
    expect(agent.prompts).toEqual(["first", "third"])
  },
)

test.live(
  "every message of another owner fails with `SessionNotFound`, and changes nothing (promise 21)",
  function* () {
    const agent = echo()
    const cluster = yield* OneProcess.start(agent)
    const id = "0f3a"
    const mine = yield* cluster.other(id)
    yield* mine.open({ session: OneProcess.session(id) })
    const session = OneProcess.session(id, { owner: "thief" })
    const refused = [
      mine.open({ session }),
      Stream.runDrain(mine.turn({ session, ...turn(1) })),
      mine.steer({ session: id, owner: "thief", content: "left" }),
      mine.threads({ session, operation: { _tag: "Fork", threadId: "thread" } }),
      mine.close({ session: id, owner: "thief" }),
    ]
    for (const one of refused) expect(yield* Effect.flip(one)).toMatchObject({ _tag: "SessionNotFound" })
    yield* Stream.runDrain(mine.turn({ session: OneProcess.session(id), ...turn(1) }))
    expect(agent.prompts).toEqual(["again"])
  },
)

test.live(
  "`executeOnce` sends the prompts of one owner and key once, and returns the answer to a later client",
  function* () {
    const agent = echo()
    const cluster = yield* OneProcess.start(agent)
    const once = (owner: string, content: string) =>
      Effect.scoped(
        Effect.gen(function* () {
          const client = yield* cluster.client({ owner })
          return (yield* client.executeOnce(yield* client.openSession(config), { content }, "key")).content
        }),
      )
    expect(yield* once("a", "first")).toBe("first!")
    expect(yield* once("a", "second")).toBe("first!")
    expect(yield* once("b", "third")).toBe("third!")
    expect(agent.prompts).toEqual(["first", "third"])
    const client = yield* cluster.client()
    const id = yield* client.openSession(config)
    expect(yield* Effect.flip(client.executeOnce(id, { content: "x" }, ""))).toMatchObject({
      reason: "invalid-config",
    })
  },
)

it("a client without a database runs everything in its own process, with promises too", async () => {
  const agent = echo()
  const runner = AgentRunner.layer({ agents: { scripted: agent.agent } })
  await using client = McpResult.getOrThrow(await ClusterMcpClient.promise({ provider: "scripted", runner }))
  const id = McpResult.getOrThrow(await client.openSession(config))
  for (const content of ["one", "two"]) {
    const answer = await client.executeOnce(id, { content }, "key")
    expect(McpResult.getOrThrow(answer).content).toBe("one!")
  }
  expect(agent.prompts).toEqual(["one"])
  const other = await ClusterMcpClient.promise({ provider: "other", runner })
  expect(other).toMatchObject({ _tag: "Failure", failure: { reason: "invalid-config" } })
})
