/** Runs the contract suite on each agent's adapter, with the agent's server program in front of a fake agent. */
import { McpClientContractSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import type { McpTransport } from "@zain/core/McpTransport"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { agents } from "../Agents.ts"
import * as Bundled from "./Bundled.ts"
import * as Served from "./Served.ts"

/**
 * `pnpm test` runs each agent over one HTTP transport. `pnpm test:rest` runs what a transport can change over the other: another
 * agent has passed the whole suite over it.
 */
const listening = ["sse", "streamable-http"]
const isRest = process.env["ZAIN_TESTS"] === "rest"
const isDue = (at: number, transport: McpTransport) =>
  transport === "stdio" || (listening[at % 2] === transport) !== isRest

/** Registers the cases for each agent; call it at the top of a test file. */
export const hold = async (transport: McpTransport) => {
  const scope = await Effect.runPromise(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  for (const agent of agents.filter((_, at) => isDue(at, transport))) {
    const served = await Effect.runPromise(Scope.provide(Served.serve(agent, transport), scope))
    const { name: provider, title } = agent
    // The clients of their own packages run over HTTP here, and with the real agents over stdio.
    const make = transport === "stdio" ? Bundled.make(provider as Parameters<typeof Bundled.make>[0]) : agent.make
    const subject = { ...served, name: `${title} behind the agent server, over ${transport}`, provider, make }
    run(subject, isRest ? { only: McpClientContractSuite.ofTransport } : {})
  }
}
