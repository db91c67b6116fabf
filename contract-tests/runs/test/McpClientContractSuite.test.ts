/**
 * Runs the suite on each agent's adapter with the agent's own MCP server, as a fake in memory (requirements 6.1 and 6.2), and
 * on an agent that only this test adds to the list.
 */
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { describe } from "vitest"
import { third } from "../../../packages/agent-list/testing/ThirdAgent.ts"
import { agents, load } from "./Agents.ts"

describe.each([...agents, await load(third())])("$suite", ({ dialect, name, native, title }) => {
  const fake = FakePeer.inMemory(dialect)
  run({ ...fake, provider: name, name: `${title}, a fake in memory`, make: native(fake) })
})
