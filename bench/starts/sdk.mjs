// Asks an agent one question by its vendor's SDK, and prints the answer. Arguments as those of zain.mjs.
const [provider, command, variables] = process.argv.slice(2)
const env = { PATH: process.env.PATH, ...JSON.parse(variables) }

const byCodex = async () => {
  const { Codex } = await import("@openai/codex-sdk")
  const thread = new Codex({ codexPathOverride: command, env }).startThread({ skipGitRepoCheck: true })
  return (await thread.run("Say hello.")).finalResponse
}
const byClaudeCode = async () => {
  const { query } = await import("@anthropic-ai/claude-agent-sdk")
  const options = { pathToClaudeCodeExecutable: command, env }
  for await (const message of query({ prompt: "Say hello.", options }))
    if (message.type === "result") return message.result
}

process.stdout.write(`${await (provider === "codex" ? byCodex : byClaudeCode)()}\n`)
