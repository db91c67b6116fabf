/** The agents of the list, with what these tests need of each. */
import { fileURLToPath } from "node:url"
import type { AgentClient, Agent as Listed } from "@zain/agent-list/Agent"
import { agents as list } from "@zain/agent-list/Agents"
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"

/**
 * - `name`: the provider's
 * - `suite`: the title of its run of the contract suite, as in the seed
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

/** All agents of the list. */
export const agents = (await Promise.all(list.map(load))) as [Agent, ...ReadonlyArray<Agent>]
