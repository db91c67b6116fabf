/** Servers that sessions hand to threads: memory has them, records have their names. */
import { assert, describe, it } from "@effect/vitest"
import type { ThreadServers } from "@zain/process/McpServerOption"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Redacted } from "effect"
import * as HandedServers from "../src/HandedServers.ts"
import * as OptionChanges from "../src/OptionChanges.ts"
import type { ThreadStore } from "../src/ThreadStore.ts"
import * as Workspace from "../src/Workspace.ts"

interface Thread {
  readonly mcpServers?: ThreadServers
  readonly model?: string
}

const secret = "hunter2-secret"
const stdio = (value: string, required?: boolean): NonNullable<ThreadServers> => ({
  shop: {
    type: "stdio",
    command: "shop",
    env: { SHOP_TOKEN: Redacted.make(value) },
    ...(required === undefined ? {} : { required }),
  },
})

/** A store of records as they would be written. */
const stored = () => {
  const records = new Map<string, Thread>()
  const plain: ThreadStore<Thread> = {
    put: (threadId, record) => Effect.sync(() => void records.set(threadId, record)),
    check: () => Effect.void,
    get: (threadId) => Effect.sync(() => records.get(threadId)),
    remove: (threadId) => Effect.sync(() => void records.delete(threadId)),
  }
  const keep = () =>
    HandedServers.keep(
      plain,
      ({ mcpServers }) => mcpServers,
      (record, mcpServers) => ({ ...record, mcpServers }),
    )
  return { records, keep }
}

describe("servers of a thread", () => {
  test("are whole in memory until they are forgotten, and names in its record", function* () {
    const { keep, records } = stored()
    const store = keep()
    const record = { model: "m", mcpServers: stdio(secret, true) }
    yield* store.put("a", record)
    assert.strictEqual(yield* store.get("a").pipe(Effect.map((one) => one?.mcpServers)), record.mcpServers)
    const lacking = { model: "m", mcpServers: { shop: { type: "lacking", required: true } } }
    assert.deepStrictEqual(records.get("a"), lacking as Thread)
    assert.deepStrictEqual(yield* keep().get("a"), lacking as Thread)
    store.forget("a")
    assert.deepStrictEqual(yield* store.get("a"), lacking as Thread)
  })

  test("are those of the record where another server of Zain has given it others", function* () {
    const { keep } = stored()
    const [one, other] = [keep(), keep()]
    yield* one.put("a", { mcpServers: stdio(secret) })
    yield* other.put("a", { mcpServers: { files: { type: "stdio", command: "files" } } })
    assert.deepStrictEqual(yield* one.get("a"), { mcpServers: { files: { type: "lacking" } } })
  })

  test("that are lacking are events, or fail where one is required", function* () {
    const lacking = { shop: { type: "lacking" }, files: { type: "lacking", required: true } } as const
    assert.deepStrictEqual(
      HandedServers.absent(lacking).map((event) => event._tag === "ServerFailed" && event.name),
      ["shop", "files"],
    )
    const error = yield* Effect.flip(HandedServers.check(lacking))
    assert.deepInclude(error, { reason: "invalid-config" })
    assert.include(error.message, "`files`")
    yield* HandedServers.check({ shop: lacking.shop })
    yield* HandedServers.check(undefined)
  })

  it("give no secret away in the reason of a failure", () => {
    const event = HandedServers.failed(stdio(secret), "shop", `The token ${secret} has expired.`)
    assert.deepStrictEqual(event, {
      _tag: "ServerFailed",
      name: "shop",
      message: "The token <redacted> has expired.",
    })
    assert.notInclude(HandedServers.notStarted("Codex", stdio(secret), `shop: ${secret}`).message, secret)
  })

  test("have changed where only a secret has", function* () {
    const record = { cwd: "/srv", mcpServers: stdio(secret) }
    const changes = (mcpServers: ThreadServers) =>
      OptionChanges.make<{ readonly cwd?: string; readonly mcpServers?: ThreadServers }>(
        record,
        { mcpServers },
        () => [],
      )
    assert.deepStrictEqual(yield* changes(stdio(secret)), {})
    assert.deepStrictEqual(Object.keys(yield* changes(stdio("another"))), ["mcpServers"])
  })
})

describe("further directories", () => {
  test.live("are absolute and exist, and lie in the roots, without links", function* () {
    const place = yield* directory
    assert.deepStrictEqual(yield* Workspace.further([place]), [place])
    for (const path of ["relative", `${place}/none`]) {
      assert.deepInclude(yield* Effect.flip(Workspace.further([path])), { reason: "invalid-config" })
    }
    const rooted = Workspace.further(["/"]).pipe(Effect.provideService(Workspace.Roots, [place]), Effect.flip)
    assert.match((yield* rooted).message, /inside the root/)
  })
})
