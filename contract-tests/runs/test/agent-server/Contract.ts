/** Holds each agent's adapter to the contract, with the agent's own server program between it and a fake agent. */
import { run } from "@zain/contract-tests/VitestRunner"
import type { McpTransport } from "@zain/core/McpTransport"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { agents } from "../Agents.ts"
import * as Served from "./Served.ts"

/** Of the transports that listen, each agent is tried over one by `pnpm test`, and over the other by `pnpm test:rest`. */
const listening = ["sse", "streamable-http"]
const isRest = process.env["ZAIN_TESTS"] === "rest"
const isDue = (at: number, transport: McpTransport) =>
  transport === "stdio" || (listening[at % 2] === transport) !== isRest

/** Registers every case for each agent, at the top of a test file. */
export const hold = async (transport: McpTransport) => {
  const scope = await Effect.runPromise(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  for (const agent of agents.filter((_, at) => isDue(at, transport))) {
    const served = await Effect.runPromise(Scope.provide(Served.serve(agent, transport), scope))
    const { make, name: provider, title } = agent
    run({ ...served, name: `${title} behind the agent server, over ${transport}`, provider, make })
  }
}
