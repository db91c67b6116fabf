import { assert, describe, it } from "@effect/vitest"
import { McpSessionCatalog, type McpSessionEntry, McpSessionId } from "@zain/core"
import { test } from "@zain/testkit/Test"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"

const config = { serverUrl: "stdio:codex?arg=mcp-server", transport: "stdio" } as const
const newId = () => Effect.runSync(McpSessionId.make)

/** The state that an operation of the catalog returns, or the tag of its error. */
const ending = (result: Result.Result<Pick<McpSessionEntry, "state">, { readonly _tag: string }>): string =>
  Result.isSuccess(result) ? result.success.state : result.failure._tag

describe("McpSessionCatalog (seed 2.4, 3.4, 5.4; rule-1.transition)", () => {
  test("returns a registered session with its times", function* () {
    const catalog = yield* McpSessionCatalog.make()
    const sessionId = newId()
    yield* TestClock.adjust("10 seconds")
    const entry = catalog.register(sessionId, "codex", { ...config, env: { KEY: "secret" } } as typeof config)
    assert.deepStrictEqual(entry, { sessionId, provider: "codex", state: "Opened", ...config, openedAt: 10_000 })
    assert.deepStrictEqual(catalog.resolve(sessionId), Option.some(entry))
    assert.deepStrictEqual(Result.getOrThrow(catalog.requireOpened(sessionId)), entry)
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(catalog.markClosed(sessionId), Result.void)
    assert.deepStrictEqual(
      catalog.resolve(sessionId),
      Option.some({ ...entry, state: "Closed" as const, closedAt: 15_000 }),
    )
  })

  test("lists entries in the order of registration, also those of one moment", function* () {
    const catalog = yield* McpSessionCatalog.make()
    const ids = [newId(), newId(), newId(), newId()]
    for (const id of ids) catalog.register(id, "codex", config)
    for (const id of [ids[2], ids[1]]) catalog.markClosed(id as McpSessionId)
    assert.deepStrictEqual(
      catalog.entries().map(({ sessionId }) => sessionId),
      ids,
    )
  })
})

/** The model of a catalog: open sessions, and closed ones in the order of their end. */
interface Model {
  readonly opened: Set<number>
  closed: ReadonlyArray<number>
}

const ids = Array.from({ length: 4 }, newId)
const bound = 2

class Act implements fc.Command<Model, McpSessionCatalog> {
  readonly what: "register" | "markClosed" | "requireOpened" | "resolve"
  readonly which: number
  constructor(what: Act["what"], which: number) {
    this.what = what
    this.which = which
  }
  check = () => true
  toString = () => `${this.what}(${this.which})`

  run(model: Model, catalog: McpSessionCatalog) {
    const id = ids[this.which] as McpSessionId
    const before = this.state(model)
    if (this.what === "register") {
      if (before === "SessionNotFound") model.opened.add(this.which)
      assert.strictEqual(catalog.register(id, "codex", config).state, before === "SessionClosed" ? "Closed" : "Opened")
    } else if (this.what === "markClosed") {
      if (model.opened.delete(this.which)) model.closed = [...model.closed, this.which].slice(-bound)
      const after = Result.map(catalog.markClosed(id), () => ({ state: "Closed" as const }))
      assert.strictEqual(ending(after), before === "Opened" ? "Closed" : before)
    }
    const now = this.state(model)
    assert.strictEqual(ending(catalog.requireOpened(id)), now)
    assert.strictEqual(
      Option.match(catalog.resolve(id), { onNone: () => "SessionNotFound", onSome: ({ state }) => state }),
      now === "SessionClosed" ? "Closed" : now,
    )
    assert.strictEqual(catalog.entries().length, model.opened.size + model.closed.length)
  }

  private state({ closed, opened }: Model) {
    if (opened.has(this.which)) return "Opened"
    return closed.includes(this.which) ? "SessionClosed" : "SessionNotFound"
  }
}

describe("McpSessionCatalog against its model", () => {
  it("changes a session from Opened to Closed and never back, in any order of operations (rule-1.transition)", () => {
    const act = fc
      .tuple(fc.constantFrom("register", "markClosed", "requireOpened", "resolve"), fc.nat({ max: ids.length - 1 }))
      .map(([what, which]) => new Act(what, which))
    fc.assert(
      fc.property(fc.commands([act], { maxCommands: 40, size: "max" }), (commands) => {
        const real = Effect.runSync(McpSessionCatalog.make({ rememberClosed: bound }))
        fc.modelRun(() => ({ model: { opened: new Set<number>(), closed: [] }, real }), commands)
      }),
      { numRuns: 100 },
    )
  })
})
