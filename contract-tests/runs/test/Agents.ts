/** The agents of the list, as the runs need them. */
import { fileURLToPath } from "node:url"
import type { AgentClient, Agent as Listed } from "@zain/agents/Agent"
import { agents as list } from "@zain/agents/Agents"
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"

/**
 * - `name`: the provider's
 * - `suite`: the name of its run of the contract suite, after the seed's
 * - `program`: its server, a bundle of its package
 */
export interface Agent extends Pick<AgentClient, "make" | "native"> {
  readonly name: string
  readonly title: string
  readonly suite: string
  readonly dialect: FakeDialect
  readonly program: string
}

export const load = async ({ client, facts, fake, folder, name }: Listed): Promise<Agent> => {
  const [{ factory, server, title }, { make, native }, dialect] = await Promise.all([facts(), client(), fake()])
  const suite = factory.replace("TransportFactory", "McpClientContractSuite")
  const program = fileURLToPath(new URL(`../../../${folder}/bin/${server}.js`, import.meta.url))
  return { name, title, suite, dialect, program, make, native }
}

/** All of them; the name of each test says which. */
export const agents = (await Promise.all(list.map(load))) as [Agent, ...ReadonlyArray<Agent>]
