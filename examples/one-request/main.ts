import { claudeCode, McpResponse, McpResult } from "@zain/agents"

await using claude = await claudeCode.make()
const session = McpResult.getOrThrow(await claude.openSession(claudeCode.local()))

for (const prompt of ["My name is Zain. Say hello.", "What is my name?"]) {
  const { content } = McpResponse.getOrThrow(await claude.execute(session, prompt))
  console.log(content)
}
