/**
 * The harness of the snippets, tried with pages that are right, and with links.
 */
import { assert, describe, it } from "vitest"
import * as Links from "../../docs/snippets/Links.ts"
import * as Pages from "../../docs/snippets/Pages.ts"
import * as Snippet from "../../docs/snippets/Snippet.ts"
import { tried } from "./SnippetsPage.ts"

it("a link that leads to no file or no heading is told with page and line", () => {
  const text =
    "# Here\n\n[a](#here) [b](#there) [c](docs/nowhere.md)\n\n```sh\n[d](none.md)\n```\n[e](README.md#zain)\n"
  const found = Links.broken({ page: "CONTRIBUTING.md", text })
  assert.deepStrictEqual(found, [
    { page: "CONTRIBUTING.md", line: 3, message: "#there leads to no heading" },
    { page: "CONTRIBUTING.md", line: 3, message: "docs/nowhere.md leads to no file" },
  ])
})

it("a link is told whichever way it is written; what stands as code is none", () => {
  const lines = [
    '[a](none1.md "a title") [b](<none 2.md>) <a title="c" href="none3.md">c</a> <img src=\'none4.png\'>',
    "[d][d] [e][] [f][g] [h](README.md 'fine')",
    "",
    '[D]: none5.md "a title"',
    "[e]: <README.md#zain>",
    "`[i](none.md)` `x[0][1]` ``[j]: ` [k][l]``",
  ]
  const found = Links.broken({ page: "CONTRIBUTING.md", text: lines.join("\n") })
  assert.deepStrictEqual(
    found.map(({ line, message }) => `${line}: ${message}`),
    [
      "1: none1.md leads to no file",
      "1: none 2.md leads to no file",
      "1: none3.md leads to no file",
      "1: none4.png leads to no file",
      "2: [g] is a link that leads nowhere: the page does not say where to",
      "4: none5.md leads to no file",
    ],
  )
})

describe("a page that is right passes", () => {
  it("modules, programs in several blocks, their outputs with gaps, and an agent whose model is on the page", async () => {
    const page = Snippet.read(
      "docs/right.md",
      [
        "<!-- model",
        "My name is (\\w+) => Hello, $1.",
        "-->",
        "```ts file=Name.ts",
        'export const name = "Zain"',
        "```",
        "```ts",
        'import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"',
        'import { McpPromiseClient, McpResult } from "@zain/core"',
        'import { name } from "./Name.ts"',
        "",
        "await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())",
        "const session = await codex.openSession(CodexTransportFactory.local())",
        "if (McpResult.isFailure(session)) throw session.failure",
        "console.log(session.success)",
        "```",
        "```text",
        "…-…",
        "```",
        "- in a list:",
        "  ```ts continued",
        '  const answer = await codex.execute(session.success, "My name is " + name)',
        "  if (McpResult.isSuccess(answer)) console.log(answer.success.content)",
        "  ```",
        "",
        "  ```text",
        "  Hello, Zain.",
        "  ```",
      ].join("\n"),
    )
    assert.isEmpty((await tried(page)).join("\n"))
  })

  it("words that say why something is not compared, on the page and unseen", async () => {
    const page = Snippet.read(
      "docs/right.md",
      [
        "```ts prints-nothing",
        "const say = () => console.log(process.pid)",
        "```",
        "```ts continued no-box a number that differs",
        "say()",
        "```",
        "<!-- text a drawing -->",
        "```text",
        "a -> b",
        "```",
        "```text what a server prints",
        "listening",
        "```",
      ].join("\n"),
    )
    assert.isEmpty(await tried(page))
    assert.deepStrictEqual(
      page.excuses.map(({ line, what, why }) => [line, what, why]),
      [
        [5, "has no box", "a number that differs"],
        [9, "text is not compared with a program", "a drawing"],
        [12, "text is not compared with a program", "what a server prints"],
      ],
    )
    const marked = Snippet.read("docs/right.md", "<!-- texts of errors -->\n\n```text\nOh.\n```\n")
    assert.isEmpty(marked.problems)
    assert.deepStrictEqual(
      marked.excuses.map(({ why }) => why),
      ["of errors"],
    )
  })

  it("an example in a docstring is found where it stands", () => {
    const code = ["/**", " * Adds.", " *", " * ```ts", " * const sum = 1 + 1", " * ```", " */", "export const one = 1"]
    const [example] = Pages.examples("packages/core/src/Sum.ts", code.join("\n"))
    assert.strictEqual(example?.use, "compile")
    assert.strictEqual(
      Snippet.source({ blocks: example?.blocks ?? [] })
        .split("\n")[4]
        ?.trim(),
      "const sum = 1 + 1",
    )
  })
})
