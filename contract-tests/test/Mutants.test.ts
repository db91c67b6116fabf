import { setImmediate } from "node:timers/promises"
import { McpError } from "@zain/core"
import { type Duration, Effect, Fiber, References } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { beforeAll, describe, expect, it } from "vitest"
import * as McpClientContractSuite from "../src/McpClientContractSuite.ts"
import { brokenApprovals } from "./mutants/BrokenApprovals.ts"
import { brokenAttachments } from "./mutants/BrokenAttachments.ts"
import { brokenEndings } from "./mutants/BrokenEndings.ts"
import { brokenEnds } from "./mutants/BrokenEnds.ts"
import { brokenOptions } from "./mutants/BrokenOptions.ts"
import { brokenStates } from "./mutants/BrokenStates.ts"
import { brokenSteers } from "./mutants/BrokenSteers.ts"
import { brokenStored } from "./mutants/BrokenStored.ts"
import { brokenStreams } from "./mutants/BrokenStreams.ts"
import { brokenStructured } from "./mutants/BrokenStructured.ts"
import { brokenThreads } from "./mutants/BrokenThreads.ts"
import { brokenTools } from "./mutants/BrokenTools.ts"
import { brokenTurns } from "./mutants/BrokenTurns.ts"
import { connecting, type Mutant, subjectOf } from "./mutants/Mutant.ts"

const mutants = [
  ...brokenStates,
  ...brokenTurns,
  ...brokenApprovals,
  ...brokenEndings,
  ...brokenThreads,
  ...brokenStreams,
  ...brokenStructured,
  ...brokenAttachments,
  ...brokenOptions,
  ...brokenSteers,
  ...brokenTools,
  ...brokenStored,
  ...brokenEnds,
]

/** By a clock that the test moves, so that a slow machine fails no client. */
const caseTimeout = "1 second"

/** Whether a file is being read or closed. */
const isReading = () => process.getActiveResourcesInfo().some((what) => /^(?:FSReq|CloseReq)/.test(what))

/** Runs an effect that waits for nothing but files: time advances by a step whenever nothing else can run. */
const virtually = <A>(effect: Effect.Effect<A>, step: Duration.Input = "10 millis"): Promise<A> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      for (let turn = 0; turn < 10 || isReading(); turn++) yield* Effect.promise(() => setImmediate())
      yield* TestClock.adjust(step)
    }
    return yield* Fiber.join(fiber)
  }).pipe(
    // Some mutants spin; the clock warns of it.
    Effect.provide(TestClock.layer({ warningDelay: "100 millis" })),
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.runPromise,
  )

/** What the case that must find a mutant says of it. */
const check = (mutant: Mutant) =>
  Effect.suspend(() => {
    const contractCase = McpClientContractSuite.cases.find(({ id }) => id === mutant.caughtBy)
    if (contractCase === undefined) return Effect.die(new Error(`There is no case ${mutant.caughtBy}.`))
    const run = McpClientContractSuite.runCase(subjectOf(mutant), contractCase, [], { caseTimeout })
    return Effect.map(run, ({ status }) => [mutant.name, status] as const)
  })

/** What core loads with the first schema and the first file, for which no time may pass. */
beforeAll(() =>
  Promise.all([
    import("effect/Schema"),
    import("../../packages/core/src/attachments/AttachedFile.ts"),
    import("../../packages/core/src/validation/JsonSchemaCheck.ts"),
  ]),
)

it("a sound client passes every case", async () => {
  const report = await virtually(McpClientContractSuite.check(subjectOf({ name: "sound" }), { caseTimeout }))
  expect(McpClientContractSuite.format(report)).toBe(
    `sound: ${McpClientContractSuite.cases.length} passed, 0 failed, 0 skipped`,
  )
  expect(report.ok).toBe(true)
})

/** After a cancelled turn, its agent rejects one prompt without accepting it. */
const slowToBeFree = connecting((connect, config, id) =>
  Effect.map(connect(config, id), ({ execute, ...connection }) => {
    let isAtIt = false
    const busy = Effect.suspend(() => {
      isAtIt = false
      const message = "The agent still works on the turn before. Ask again."
      return Effect.fail(new McpError.InvalidRequest({ reason: "rejected-by-server", delivery: "not-sent", message }))
    })
    const given = Effect.sync(() => {
      isAtIt = true
    })
    return {
      ...connection,
      execute: (request, turn) =>
        Effect.suspend(() => (isAtIt ? busy : Effect.onInterrupt(execute(request, turn), () => given))),
    }
  }),
)

it("a client whose agent rejects one prompt after a cancel passes the cases that retry it", async () => {
  const subject = subjectOf({ name: "slow", driver: slowToBeFree })
  const { results } = await virtually(McpClientContractSuite.check(subject, { caseTimeout }))
  const failed = results.filter(({ status }) => status === "failed").map(({ id }) => id)
  // A prompt that has waited for its turn must not be rejected for the turn before.
  expect(failed).toEqual(["order.one-at-a-time", "order.queue", "suite.whole"])
})

it("a client that learns in its first turn that a thread is unknown passes with an excuse from rejecting it at the open", async () => {
  const lazy = subjectOf({
    name: "lazy",
    driver: connecting((connect, config, id, { conversations }) => {
      const { threadId } = config.providerOptions
      const isLost = threadId !== undefined && !conversations.has(String(threadId))
      const lost = new McpError.SessionClosed({
        reason: "conversation-lost",
        delivery: "not-sent",
        message: "There is no such conversation.",
      })
      return Effect.map(connect(isLost ? { ...config, providerOptions: {} } : config, id), (connection) =>
        isLost ? { ...connection, execute: () => Effect.fail(lost) } : connection,
      )
    }),
  })
  const subject = { ...lazy, cannot: { "unknown-thread": "only a turn shows it" } }
  const { ok, results } = await virtually(McpClientContractSuite.check(subject, { caseTimeout }))
  expect(ok).toBe(true)
  expect(results.filter(({ status }) => status === "skipped").map(({ id }) => id)).toEqual(["threads.lost"])
})

it("a client that does not emit `ThreadStarted` fails a case that waits for it with a message that names the event", async () => {
  const contractCase = McpClientContractSuite.cases.find(({ id }) => id === "threads.errors")
  const [flaw] = brokenThreads
  if (contractCase === undefined || flaw === undefined) throw new Error("no case")
  const run = McpClientContractSuite.runCase(subjectOf(flaw), contractCase, [], { caseTimeout: "1 minute" })
  expect((await virtually(run, "1 second")).reason).toContain("`ThreadStarted` must be emitted before the answer")
})

describe("a client that", () => {
  let found: ReadonlyMap<string, string> = new Map()

  beforeAll(async () => {
    found = new Map(await virtually(Effect.forEach(mutants, check, { concurrency: 12 })))
  })

  for (const { caughtBy, name } of mutants) {
    it(`${name} fails ${caughtBy}`, () => {
      expect(found.get(name)).toBe("failed")
    })
  }
})
