// A host with a real agent in the middle of a turn, or of several in as many sessions. It prints the thread as soon as it is
// named, then that the agent speaks. It waits for its end: a signal of the system's, or SIGUSR2, which lets it call `process.exit`.
import { McpPromiseClient, McpResult } from "@zain/core"
import type { AgentName } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const [, , name, profile, place = "", content = "", turns = "1"] = process.argv
const agent = name as AgentName
const home = JSON.parse(place)
const config = profile === "native" ? OwnClient.native[agent](home) : OwnClient.local(agent, home)
const adapter = OwnClient.adapter(agent, undefined, profile as OwnClient.Profile)
const client = await McpPromiseClient.make(adapter, { approvals: { rules: [{ answer: "approve" }] } })
process.once("SIGUSR2", () => process.exit(0))
const turn = async () => {
  const session = McpResult.getOrThrow(await client.openSession(config))
  const reading = async () => {
    for await (const event of client.events(session)) {
      if (event._tag === "ThreadStarted") process.stdout.write(`thread ${event.threadId}\n`)
      if (event._tag === "TextDelta") process.stdout.write("word\n")
    }
  }
  void reading()
  const answer = await client.execute(session, content)
  throw new Error(`The turn has ended: ${JSON.stringify(answer)}`)
}
await Promise.all(Array.from({ length: Number(turns) }, turn))
