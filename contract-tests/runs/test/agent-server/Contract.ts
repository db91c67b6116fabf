/** Holds an adapter to the contract, with the agent server's own command between it and a fake agent. */

import { run } from "@zain/contract-tests/VitestRunner"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import type { Agent } from "../Agents.ts"
import * as Served from "./Served.ts"

/** Registers every case, at the top of a test file. */
export const hold = async (agent: Agent, transport: McpTransport) => {
  const scope = await Effect.runPromise(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const served = await Effect.runPromise(Scope.provide(Served.serve(agent, transport), scope))
  const { dialect, make, title } = agent
  run({ ...served, name: `${title} behind the agent server, over ${transport}`, provider: dialect.name, make })
}
