// A host that runs one turn with a real agent, prints the answer, and forgets to close. By `read` a reader of events goes on
// until a timer that holds no program closes the client, and sets the exit code 7.
import { McpPromiseClient, McpResult } from "@zain/core"
import type { AgentName } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const [, , name, how, place = ""] = process.argv
const agent = name as AgentName
const client = await McpPromiseClient.make(OwnClient.adapter(agent))
const session = McpResult.getOrThrow(await client.openSession(OwnClient.local(agent, JSON.parse(place))))
const read = async () => {
  for await (const _ of client.events(session));
  process.exitCode = 7
}
if (how === "read") void read()
process.stdout.write(McpResult.getOrThrow(await client.execute(session, "Answer.")).content)
if (how === "read") setTimeout(client.close, 2_000).unref()
