import { describe, it } from "@effect/vitest"
import { McpSessionRuntime } from "@zain/core"
import * as Model from "./model/Model.ts"
import * as ScriptedAgent from "./model/ScriptedAgent.ts"

describe("any interleaving of open, execute, cancel, close, time and the death of agents (design §4, rules 1 to 8)", () => {
  it("keeps the laws: one outcome an execute, turns in order, Opened to Closed and never back, nothing left (promises 2, 8, 13)", () =>
    Model.check({ ...ScriptedAgent.subject(McpSessionRuntime.make), runs: 3_000 }))
})
