// A program for bundlers: it asks Codex one question, and prints the answer. SERVER: the path of the server's program.
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResponse, McpResult } from "@zain/core"

const { SERVER: server } = process.env

const main = async () => {
  const codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
  const local = CodexTransportFactory.local(server === undefined ? {} : { server })
  const session = McpResult.getOrThrow(await codex.openSession(local))
  const [, , prompt = ""] = process.argv
  process.stdout.write(`${McpResponse.getOrThrow(await codex.execute(session, prompt)).content}\n`)
  await codex.close()
}
void main()
