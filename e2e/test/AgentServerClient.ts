// A client of its own process, in the middle of a call until it is killed: the official one, over HTTP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const [, , url = "", front, name = "", args = "{}"] = process.argv
const client = new Client({ name: "killed", version: "1" }, { capabilities: { elicitation: {} } })
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept" }))
const Wire = front === "http" ? StreamableHTTPClientTransport : SSEClientTransport
// The SDK's own types do not fit each other when optional is not undefined.
await client.connect(new Wire(new URL(url)) as Transport)
await client.callTool({ name, arguments: JSON.parse(args) }, undefined, { timeout: 240_000 })
throw new Error("The call was answered.")
