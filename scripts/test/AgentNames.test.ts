/**
 * Which files outside an agent's package name it: each needs a reason, and a list that only shrinks. Adding an agent is one
 * package and one line of the list.
 *
 * Counted is the code, without comments, of every TypeScript, JavaScript and shell file that git knows; not counted are tests
 * (`test/`, `*.test.ts`), `e2e`, `docs`, `examples` and `bench`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseSync } from "oxc-parser"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

const agents = {
  Codex: { names: /codex/i, folder: "packages/codex-client/", most: 7 },
  "Claude Code": { names: /claude|anthropic/i, folder: "packages/claude-code-client/", most: 6 },
}

/** Files that name agents, and why they do. A reason that begins with `still:` is a file that is to lose the name. */
const allowed: Readonly<Record<keyof typeof agents, Readonly<Record<string, string>>>> = {
  Codex: {
    "contract-tests/src/Requirements.ts": "the rows of the seed's requirements",
    "packages/agents/src/Agents.ts": "the list",
    "packages/cli/src/Main.ts": "still: an example or a format of a file",
    "packages/cli/src/doctor/Advice.ts": "still: an example or a format of a file",
    "packages/cli/src/doctor/DoctorCommand.ts": "still: an example or a format of a file",
    "packages/cli/src/mcp/CodexServers.ts": "a configuration format",
    "packages/cli/src/mcp/McpCommand.ts": "still: an example or a format of a file",
    "packages/cli/src/mcp/ServerFile.ts": "still: an example or a format of a file",
    "packages/cli/src/run/RunCommand.ts": "still: an example or a format of a file",
    "packages/cli/src/serve/ServeCommand.ts": "still: an example or a format of a file",
    "packages/core/src/DirectoryBounds.ts": "still: a name of the seed, or a directory that is never written",
    "packages/core/src/McpConnectionConfig.ts": "still: a name of the seed, or a directory that is never written",
    "packages/core/src/McpProvider.ts": "still: a name of the seed, or a directory that is never written",
    "packages/loopsmith/src/LoopState.ts": "words that a seed fixes",
    "packages/loopsmith/src/command/AgentChoice.ts": "words that a seed fixes",
    "packages/loopsmith/src/command/Options.ts": "still: help",
    "packages/scripted-model/src/CodexEnvironment.ts": "a face of the scripted model: one file an agent",
    "packages/scripted-model/src/ScriptedModel.ts": "a face of the scripted model",
    "packages/scripted-model/src/index.ts": "still: the model's wire format or a door of the package",
    "scripts/Arrows.ts": "still: a tool names the packages",
    "scripts/bundle-commands.ts": "still: a tool names the packages",
    "scripts/pack/Consumer.ts": "still: a tool names the packages",
    "vitest.config.ts": "still: test files by their names",
  },
  "Claude Code": {
    "contract-tests/src/Requirements.ts": "the rows of the seed's requirements",
    "packages/agents/src/Agents.ts": "the list",
    "packages/cli/src/doctor/Advice.ts": "still: an example or a format of a file",
    "packages/cli/src/mcp/JsonServers.ts": "a configuration format",
    "packages/cli/src/mcp/McpCommand.ts": "still: an example or a format of a file",
    "packages/cli/src/run/RunCommand.ts": "still: an example or a format of a file",
    "packages/cli/src/serve/ServeCommand.ts": "still: an example or a format of a file",
    "packages/core/src/DirectoryBounds.ts": "still: a name of the seed, or a directory that is never written",
    "packages/core/src/McpProvider.ts": "still: a name of the seed, or a directory that is never written",
    "packages/loopsmith/src/command/Help.ts": "still: help",
    "packages/scripted-model/src/AnthropicMessages.ts": "still: the model's wire format or a door of the package",
    "packages/scripted-model/src/ClaudeCodeEnvironment.ts": "a face of the scripted model: one file an agent",
    "packages/scripted-model/src/ModelRequest.ts": "still: the model's wire format or a door of the package",
    "packages/scripted-model/src/ModelServer.ts": "still: the model's wire format or a door of the package",
    "packages/scripted-model/src/ScriptedModel.ts": "a face of the scripted model",
    "packages/scripted-model/src/index.ts": "still: the model's wire format or a door of the package",
    "scripts/Arrows.ts": "still: a tool names the packages",
    "scripts/bundle-commands.ts": "still: a tool names the packages",
    "scripts/pack/Consumer.ts": "still: a tool names the packages",
    "vitest.config.ts": "still: test files by their names",
  },
}

const files = execFileSync("git", ["ls-files", "*.ts", "*.js", "*.mjs", "*.sh"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !/(^|\/)(e2e|docs|examples|bench|test)\/|\.test\.ts$/.test(file))

/** A file's code; of a shell script, all that is no comment. */
const code = (file: string): string => {
  const text = readFileSync(`${root}/${file}`, "utf8")
  if (file.endsWith(".sh")) return text.replace(/^\s*#.*$/gm, "")
  const { comments } = parseSync(file, text)
  return comments.reduceRight((rest, { end, start }) => rest.slice(0, start) + rest.slice(end), text)
}

const sources = files.map((file) => [file, code(file)] as const)

describe("files that name an agent outside its package (issue 16, part 4)", () => {
  it.each(Object.entries(agents))("%s: those with a reason, and no others", (agent, { folder, names }) => {
    const found = sources.flatMap(([file, text]) => (!file.startsWith(folder) && names.test(text) ? [file] : []))
    assert.deepStrictEqual(found, Object.keys(allowed[agent as keyof typeof agents]).sort())
  })

  it.each(Object.entries(agents))("%s: at most so many that keep the name", (agent, { most }) => {
    const reasons = Object.values(allowed[agent as keyof typeof agents])
    assert.isAtMost(reasons.filter((reason) => !reason.startsWith("still: ")).length, most)
  })
})
