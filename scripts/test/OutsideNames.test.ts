/**
 * Which files outside an agent's or an editor's package name it: each needs a reason, and a list that only shrinks. Adding
 * one is one package and one line of a list.
 *
 * Counted is the code, without comments, of every TypeScript, JavaScript and shell file that git knows; not counted are tests
 * (`test/`, `testing/`, `*.test.ts`), `e2e`, `docs`, `examples` and `bench`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync } from "oxc-parser"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

const agents = {
  Codex: { names: /codex/i, folder: "packages/codex-client/", max: 9 },
  "Claude Code": { names: /claude|anthropic/i, folder: "packages/claude-code-client/", max: 10 },
}

const all: Readonly<Record<string, { readonly names: RegExp; readonly folder: string; readonly max: number }>> = {
  ...agents,
  Unity: { names: /(?<!comm)unity/i, folder: "packages/editor-unity", max: 8 },
  Blender: { names: /blender/i, folder: "packages/editor-blender/", max: 6 },
}

const ofAll = {
  "contract-tests/src/Requirements.ts": "the rows of the seed's requirements",
  "packages/agent-list/src/Agents.ts": "the list",
  "packages/agents/src/index.ts": "the doors of the package without Effect, which its users import by name",
  "packages/core/src/McpProvider.ts": "words that a seed fixes, and what a rule never approves",
  "packages/scripted-model/src/ScriptedModel.ts": "a face of the scripted model",
  "packages/tool-server/src/ClientRules.ts": "the table of MCP clients, by the names that they send",
}

/** Files that name agents, and why they do. */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Codex: {
    ...ofAll,
    "packages/cli/src/mcp/formats/Toml.ts": "a configuration format",
    "packages/loopsmith/src/SeedWords.ts": "words that a seed fixes",
    "packages/scripted-model/src/CodexEnvironment.ts": "a face of the scripted model: one file an agent",
  },
  "Claude Code": {
    ...ofAll,
    "packages/cli/src/mcp/formats/Json.ts": "a configuration format",
    "packages/editor-link/src/infrastructure/mcp/OwnToken.ts": "the command that connects it (decision 28)",
    "packages/editor-unity-loop/src/UnityLoopCommand.ts": "words that a seed fixes",
    "packages/scripted-model/src/ClaudeCodeEnvironment.ts": "a face of the scripted model: one file an agent",
  },
  Unity: {
    "packages/editor-link/src/fake/FakeScene.ts": "the name of a file in a project of the fakes",
    "packages/editor-link/src/infrastructure/link/LengthPrefix.ts":
      "lines that an editor's plugin prints between frames",
    "packages/editor-link/src/infrastructure/services/LinkServices.ts": "a variable that a seed fixes",
    "packages/editor-server/src/command/EditorOptions.ts": "help for the options of all editors",
    "packages/editor-server/src/command/Profiles.ts": "the list",
    "packages/editor-server/tsup.config.ts": "the parser's thread, a file of the bundle",
    "scripts/pack-check.ts": "the first minute of a user, with one editor of the list",
    "scripts/pack/EditorTrial.ts": "the same",
  },
  Blender: {
    "packages/editor-server/src/command/AddOn.ts": "the command that writes the add-on",
    "packages/editor-server/src/command/EditorOptions.ts": "help for the options of all editors",
    "packages/editor-server/src/command/Help.ts": "help",
    "packages/editor-server/src/command/Profiles.ts": "the list",
    "packages/editor-server/tsup.config.ts": "the bridge and the schema, copied beside the bundle",
    "vitest.config.ts": "tests that want the real program",
  },
}

const files = execFileSync("git", ["ls-files", "*.ts", "*.js", "*.mjs", "*.sh"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !/(^|\/)(e2e|docs|examples|bench|test|testing)\/|\.test\.ts$/.test(file))

/** A file's code; of a shell script, all that is no comment. */
const code = (file: string): string => {
  const text = readFileSync(`${root}/${file}`, "utf8")
  if (file.endsWith(".sh")) return text.replace(/^\s*#.*$/gm, "")
  const { comments } = parseSync(file, text)
  return comments.reduceRight((rest, { end, start }) => rest.slice(0, start) + rest.slice(end), text)
}

const sources = files.map((file) => [file, code(file)] as const)

describe("files that name an agent or an editor outside its package (docs/guides/write-an-adapter.md)", () => {
  it.each(Object.entries(all))("%s: only files with a reason name it", (agent, { folder, max, names }) => {
    const found = sources.flatMap(([file, text]) => (!file.startsWith(folder) && names.test(text) ? [file] : []))
    assert.deepStrictEqual(found, Object.keys(allowed[agent] ?? {}).sort())
    assert.isAtMost(found.length, max)
  })

  it.each(Object.entries(agents))("%s: its package without native, server and fake is small", (_, { folder }) => {
    const own = sources.filter(([file]) => file.startsWith(`${folder}src/`) && dirname(file) === `${folder}src`)
    const lines = own.flatMap(([, text]) => text.split("\n").filter((line) => line.trim() !== ""))
    assert.isAtMost(lines.length, 160)
  })
})
