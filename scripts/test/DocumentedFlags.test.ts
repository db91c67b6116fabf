/** Every option of a command of ours that a page names is one that the command has. */
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Each command's program, and those of its subcommands that have a help text of their own. */
const commands: Readonly<Record<string, { readonly program: string; readonly within: ReadonlyArray<string> }>> = {
  "zain-codex-mcp": { program: "packages/cli/dist/zain-codex-mcp.js", within: [] },
  "zain-claude-code-mcp": { program: "packages/cli/dist/zain-claude-code-mcp.js", within: [] },
  loopsmith: { program: "packages/loopsmith/bin/loopsmith.js", within: ["improve", "serve"] },
  zain: {
    program: "packages/cli/dist/zain.js",
    within: ["run", "serve", "doctor", "mcp list", "mcp check", "completions"],
  },
}

/** A command line of a page: whose it is, and what it is given. */
interface Use {
  readonly page: string
  readonly command: string
  readonly within: string
  readonly flag: string
}

const names = Object.keys(commands).sort((a, b) => b.length - a.length)
const call = new RegExp(`(?<![\\w@/.-])(?:/usr/local/bin/)?(${names.join("|")})(?![\\w.-])(.*)`, "u")

/** The options in code: in blocks, whose lines may go on after a backslash, and in spans. What follows `--` is the agent's. */
const usesIn = (page: string, text: string): ReadonlyArray<Use> => {
  const blocks = [...text.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gmsu)].flatMap(([, language, code = ""]) =>
    language === "ts" || language === "text" ? [] : [code],
  )
  const spans = [...text.replace(/^```.*?^```$/gmsu, "").matchAll(/`([^`\n]+)`/gu)].map(([, code = ""]) => code)
  const lines = [...blocks.flatMap((block) => block.replace(/\\\n/gu, " ").split("\n")), ...spans]
  return lines.flatMap((line) => {
    const [, command = "", rest = ""] = call.exec(line) ?? []
    if (command === "") return []
    const [own = ""] = rest.replace(/ #.*$/u, "").split(/ -- /u)
    const within = commands[command]?.within.find((words) => own.trim().startsWith(words)) ?? ""
    return (own.match(/(?<=[\s"[])--[a-z][a-z-]*/gu) ?? []).map((flag) => ({ page, command, within, flag }))
  })
}

const pages = globSync(["*.md", "docs/*.md", "packages/*/README.md", "contract-tests/README.md"], { cwd: root })
const uses = pages.flatMap((page) => usesIn(page, readFileSync(`${root}/${page}`, "utf8")))

const run = promisify(execFile)
const helps = new Map<string, Promise<string>>()
const helpOf = (command: string, within: string): Promise<string> => {
  const key = `${command} ${within}`
  const { program = "" } = commands[command] ?? {}
  const args = [`${root}/${program}`, ...within.split(" ").filter(Boolean), "--help"]
  const help = helps.get(key) ?? run(process.execPath, args).then(({ stdout }) => stdout)
  helps.set(key, help)
  return help
}

describe("the options of our commands in code of a page", () => {
  it("are found in blocks, spans, lists and lines that go on", () => {
    const text =
      "Say `zain-codex-mcp http --port 1`.\n\n```sh\nzain run \\\n  --cwd . # not --this\nzain-codex-mcp --env A -- --its-own\n```\n\n" +
      '```dockerfile\nCMD ["zain-codex-mcp", "http", "--host", "0.0.0.0"]\n```\n\n```ts\n"zain --no"\n```\n'
    assert.deepStrictEqual(
      usesIn("page", text).map(({ command, flag, within }) => [command, within, flag]),
      [
        ["zain", "run", "--cwd"],
        ["zain-codex-mcp", "", "--env"],
        ["zain-codex-mcp", "", "--host"],
        ["zain-codex-mcp", "", "--port"],
      ],
    )
  })

  it("are there at all", () => {
    for (const command of ["zain-codex-mcp", "loopsmith"]) {
      assert.isTrue(
        uses.some((use) => use.command === command),
        command,
      )
    }
  })

  it.each(names)("are options of %s", async (command) => {
    for (const { flag, page, within } of uses.filter((use) => use.command === command)) {
      const help = await helpOf(command, within)
      const has = new RegExp(`(?<![\\w-])${flag}(?![\\w-])`, "u").test(help)
      assert.isTrue(has, `${page} says ${flag}, which ${command} ${within} does not have.`)
    }
  })
})
