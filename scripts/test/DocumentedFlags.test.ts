/** Every option of a command of ours that a page names is one that the command has. */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import * as CommandHelp from "../CommandHelp.ts"
import { published } from "../Published.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The help of each command that is bundled before the tests, and of each below it. */
const packages = published(root).filter(({ directory }) => directory.startsWith("packages/"))
const helps = new Map((await Promise.all(packages.map((each) => CommandHelp.all(root, each)))).flat())
const commands = [...helps.keys()].sort((one, other) => other.length - one.length)

const call = new RegExp(`(?<![\\w@/.-])(?:/usr/local/bin/)?(${commands.join("|")})(?![\\w.-])(.*)`, "u")

/**
 * The options in code, each with the words of the command that it is for: in blocks, whose lines may go on after a backslash,
 * and in spans. What follows `--` is the agent's.
 */
const usesIn = (page: string, text: string) => {
  const blocks = [...text.matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gmsu)].flatMap(([, language, code = ""]) =>
    language === "ts" || language === "text" ? [] : [code],
  )
  const spans = [...text.replace(/^```.*?^```$/gmsu, "").matchAll(/`([^`\n]+)`/gu)].map(([, code = ""]) => code)
  const lines = [...blocks.flatMap((block) => block.replace(/\\\n/gu, " ").split("\n")), ...spans]
  return lines.flatMap((line) => {
    const [, command = "", rest = ""] = call.exec(line) ?? []
    const [own = ""] = rest.replace(/ #.*$/u, "").split(/ -- /u)
    return (own.match(/(?<=[\s"[])--[a-z][a-z-]*/gu) ?? []).map((flag) => ({ page, command, flag }))
  })
}

const pages = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "contract-tests/README.md"], {
  cwd: root,
  exclude: (path) => path.includes("node_modules"),
})
const uses = pages.flatMap((page) => usesIn(page, readFileSync(`${root}/${page}`, "utf8")))

describe("the options of Zain's commands in code of a page", () => {
  it("are found in blocks, spans, lists and continued lines", () => {
    const text =
      "Say `zain-codex-mcp http --port 1`.\n\n```sh\nzain run \\\n  --cwd . # not --this\nzain-codex-mcp --env A -- --its-own\n```\n\n" +
      '```dockerfile\nCMD ["zain-codex-mcp", "http", "--host", "0.0.0.0"]\n```\n\n```ts\n"zain --no"\n```\n'
    assert.deepStrictEqual(
      usesIn("page", text).map(({ command, flag }) => [command, flag]),
      [
        ["zain run", "--cwd"],
        ["zain-codex-mcp", "--env"],
        ["zain-codex-mcp", "--host"],
        ["zain-codex-mcp", "--port"],
      ],
    )
  })

  it("exist in the help of the command", () => {
    assert.includeMembers([...new Set(uses.map(({ command }) => command))], ["zain run", "loopsmith improve"])
    const wrong = uses.filter(
      ({ command, flag }) => !new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(helps.get(command) ?? ""),
    )
    assert.deepStrictEqual(wrong, [])
  })
})
