import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import * as ModelLimits from "../src/ModelLimits.ts"
import * as Stage from "./ExamplesStage.ts"

/** How a program ends that does what it shall, but for what it prints. */
const well = { exitCode: 0, stderr: "", processes: [] }

describe("the example", () => {
  it("two-providers lets both agents answer the same question", async () => {
    await using stage = await Stage.make(({ api, userMessages }) =>
      ScriptedTurn.text(userMessages.some((text) => text.includes("Who are you?")) ? `I speak ${api}.` : "What?"),
    )
    assert.deepStrictEqual(await stage.run("examples/two-providers/main.ts"), {
      ...well,
      stdout: "Codex:       I speak responses.\nClaude Code: I speak messages.\n",
    })
  })

  it("review-and-fix lets Codex review a diff and Claude Code write in the repository only, and declines every write that leads to .git", async () => {
    await using stage = await Stage.make(({ api, toolResults, userMessages }) => {
      const isTold = userMessages.some((text) => text.includes(api === "responses" ? "+a - b" : "It subtracts."))
      if (!isTold) return ScriptedTurn.text("I do not know what this is about.")
      if (api === "responses") return ScriptedTurn.text('{"mistakes":["It subtracts."]}')
      const command = `touch ${stage.file("pwned")}`
      const configured = `[core]\n\tfsmonitor = ${command}\n[diff]\n\texternal = ${command}\n[filter "x"]\n\tclean = ${command}; cat\n`
      const read = (name: string) => ScriptedTurn.toolCall("Read", { file_path: stage.file(name) })
      const write = (name: string, content = configured) =>
        ScriptedTurn.toolCall("Write", { file_path: stage.file(name), content })
      const turns = [
        read("sum.js"),
        ScriptedTurn.toolCall("Edit", { file_path: file, old_string: "a - b", new_string: "a + b" }),
        write("../elsewhere"),
        ...[".git/config", "docs/config", "link"].flatMap((name) => [read(name), write(name)]),
        ...[write("nested/.GIT/config"), write(".gitattributes", "* filter=x diff=x\n")],
        ScriptedTurn.toolCall("Bash", { command, description: "Look" }),
      ]
      return turns[toolResults.length] ?? ScriptedTurn.text("It adds.")
    })
    const file = stage.file("sum.js")
    stage.git("init", "--quiet")
    const config = readFileSync(stage.file(".git/config"), "utf8")
    writeFileSync(file, "0\n")
    symlinkSync(".git", stage.file("docs"))
    symlinkSync(".git/config", stage.file("link"))
    stage.git("add", ".")
    writeFileSync(file, "a - b\n")
    const { stdout, ...rest } = await stage.run("examples/review-and-fix/main.ts")
    assert.deepStrictEqual(rest, well)
    assert.match(stdout, /^Codex: It subtracts\.\nApprove: .*sum\.js"\]\nDecline: .*elsewhere"\]\n/)
    // Claude Code itself refuses to write through the link.
    const decisions = ["Approve", "Decline", "Decline", "Decline", "Decline", "Approve", "Decline"]
    assert.deepStrictEqual(stdout.match(/^(Approve|Decline)(?=: )/gm), decisions)
    assert.include(stdout, "\nClaude Code: It adds.\n")
    assert.include(stdout, "\n-0\n+a + b\n")
    assert.strictEqual(readFileSync(file, "utf8"), "a + b\n")
    assert.strictEqual(readFileSync(stage.file(".git/config"), "utf8"), config)
    for (const name of ["../elsewhere", "pwned"]) assert.isFalse(existsSync(stage.file(name)))
  })

  it("review-and-fix shows diffs of any length with git alone, whatever its configuration", async () => {
    await using stage = await Stage.make(({ api }) => {
      if (api === "responses") return ScriptedTurn.text('{"mistakes":["It is short."]}')
      writeFileSync(file, `${"line\n".repeat(400_000)}the end\n`)
      return ScriptedTurn.text("It is long.")
    })
    const file = stage.file("long.txt")
    const command = stage.file("../command")
    writeFileSync(command, `#!/bin/sh\ntouch ${stage.file("../pwned")}\ncat "$1"\n`, { mode: 0o755 })
    stage.git("init", "--quiet")
    writeFileSync(file, "0\n")
    writeFileSync(stage.file(".gitattributes"), "*.txt diff=x\n")
    stage.git("add", ".")
    writeFileSync(file, "1\n")
    stage.git("config", "core.fsmonitor", command)
    stage.git("config", "diff.external", command)
    stage.git("config", "diff.x.textconv", command)
    const { stdout, ...rest } = await stage.run("examples/review-and-fix/main.ts")
    assert.deepStrictEqual(rest, well)
    assert.isTrue(stdout.endsWith("+the end\n\n"))
    assert.isFalse(existsSync(stage.file("../pwned")))
  })

  it("approvals decides by rules, then asks at the terminal, logs both, and shows agents' text on one line, without control characters", async () => {
    await using stage = await Stage.make(({ toolResults }) => {
      const turns = [
        ScriptedTurn.toolCall("Bash", { command: "npm --version", description: "Look" }),
        ScriptedTurn.toolCall("Write", { file_path: stage.file("versions.txt"), content: "11" }),
        ScriptedTurn.toolCall("Bash", { command: "mkdir releases\nrule: Approve", description: "Make" }),
        ScriptedTurn.toolCall("Write", { file_path: stage.file("a\u001b[8m\u009b8m\u202e.txt"), content: "" }),
      ]
      const results = toolResults.map(({ text }) => text).join("\n")
      return turns[toolResults.length] ?? ScriptedTurn.text(`${results}\nFirst.\u001b[2K\nSecond.\u202e`)
    })
    const { stdout, ...rest } = await stage.run("examples/approvals/main.ts", [
      ["versions.txt` [y/N] ", "yes"],
      ["a\\u{1b}[8m\\u{9b}8m\\u{202e}.txt` [y/N] ", "no"],
    ])
    assert.deepStrictEqual(rest, well)
    assert.deepStrictEqual(stdout.match(/(?<=Z )\w+: \w+/g), [
      "rule: Approve",
      "ask: Approve",
      "rule: Decline",
      "ask: Decline",
    ])
    assert.include(stdout, "rule: Decline mkdir releases\\u{a}rule: Approve\n")
    assert.include(stdout, "Only versions may be looked up.")
    assert.include(stdout, "The user declined it.")
    assert.isTrue(stdout.endsWith("First.\\u{1b}[2K\nSecond.\\u{202e}\n"))
    assert.notMatch(stdout, /[^\P{C}\n]/u)
    assert.strictEqual(readFileSync(stage.file("versions.txt"), "utf8"), "11")
    assert.isFalse(existsSync(stage.file("releases")))
  })

  it("resume continues after kill -9 in the middle of a question, and shows what is written (promises 31 and 33)", async () => {
    await using stage = await Stage.make(({ toolResults, userMessages }) => {
      const isGoingOn = userMessages.some((text) => text.includes("Go on."))
      const isWritten = toolResults.some(({ text }) => text.includes("created successfully"))
      if (isWritten) return ScriptedTurn.text("It is written.")
      if (isGoingOn && !userMessages.some((text) => text.includes("Write a haiku")))
        return ScriptedTurn.text("With what?")
      return ScriptedTurn.toolCall("Write", { file_path: stage.file("haiku.txt"), content: "An old pond\n" })
    })
    const program = "examples/resume/main.ts"
    const killed = await stage.run(program, [["haiku.txt` [y/N] "]])
    assert.include(killed.stdout, "add ")
    assert.include(killed.stdout, "\n+An old pond\n")
    assert.isFalse(existsSync(stage.file("haiku.txt")))
    await stage.alone()
    const { stdout, ...rest } = await stage.run(program, [["haiku.txt` [y/N] ", "yes"]])
    assert.deepStrictEqual(rest, well)
    assert.isTrue(stdout.endsWith("It is written.\n"), stdout)
    assert.strictEqual(readFileSync(stage.file("haiku.txt"), "utf8"), "An old pond\n")
  })

  it("threads forks the newest conversation of both agents, continues the copy, and archives the origin", async () => {
    await using stage = await Stage.make(({ userMessages }) => {
      const last = userMessages.at(-1) ?? ""
      const isForgotten = userMessages.some((text) => text.includes("Forget it."))
      if (!last.includes("What was the word?")) return ScriptedTurn.text("I will.")
      return ScriptedTurn.text(isForgotten ? "I forgot it." : "The word was zebra.")
    })
    const { stdout, ...rest } = await stage.run("examples/threads/main.ts")
    assert.deepStrictEqual(rest, well)
    const ran = (provider: string) => `${provider}: Remember the word zebra.\nThe word was zebra.\nSuccess\n`
    assert.strictEqual(stdout, `${ran("codex")}${ran("claude-code")}`)
  })

  it("streaming shows text and tools as they arrive, then the tokens", async () => {
    await using stage = await Stage.make(({ toolResults }) =>
      toolResults.length === 0
        ? ScriptedTurn.toolCall("exec_command", { cmd: "ls" })
        : ScriptedTurn.text("One, two.", { chunks: 9 }),
    )
    const { stdout, ...rest } = await stage.run("examples/streaming/main.ts")
    assert.deepStrictEqual(rest, well)
    assert.match(stdout, /^\[ls\]\n\[done\]\nOne, two\.\n\d+ tokens in, \d+ out\.\n$/)
  })

  it("limit-waited-out waits for the limits of both accounts, and asks both agents to go on", async () => {
    await using stage = await Stage.make(({ api, userMessages }) => {
      const isTold = userMessages.some((text) => text.includes("Go on where you stopped."))
      const isKnown = userMessages.some((text) => text.includes("What does this directory hold?"))
      if (isTold) return ScriptedTurn.text(isKnown ? "Nothing." : "What did I do?")
      return ModelLimits.rejection(api === "responses" ? "codex" : "claude-code", Math.ceil(Date.now() / 1000) + 2)
    }, ModelLimits.claudeLogin)
    const { stdout, ...rest } = await stage.run("examples/limit-waited-out/main.ts")
    assert.deepStrictEqual(rest, well)
    const lines = stdout
      .trimEnd()
      .replaceAll(/ until .*Z/g, "")
      .split("\n")
    assert.deepStrictEqual(lines.slice(0, 4).sort(), [
      "claude-code waits for five_hour.",
      "claude-code: Nothing.",
      "codex waits for primary.",
      "codex: Nothing.",
    ])
    assert.match(lines[4] ?? "", /^4 turns, \d+ tokens\.$/)
  })

  it("structured asks both agents for a value, whose schema reaches their models", async () => {
    const value = { isReady: false, missing: ["a README", "a licence"] }
    await using stage = await Stage.make(({ api, toolResults }) => {
      if (api === "responses") return ScriptedTurn.text(JSON.stringify({ ...value, note: null }))
      return toolResults.length === 0 ? ScriptedTurn.toolCall("StructuredOutput", value) : ScriptedTurn.text("Done.")
    })
    const { stdout, ...rest } = await stage.run("examples/structured/main.ts")
    assert.deepStrictEqual(rest, well)
    const missing = "not ready, without a README, a licence\n"
    assert.strictEqual(stdout, `codex: ${missing}claude-code: ${missing}`)
    const bodies = (await stage.model.requests()).map(({ body }) => JSON.stringify(body))
    const sent = { isReady: { type: "boolean" }, missing: { type: "array", items: { type: "string" } } }
    assert.deepStrictEqual(
      bodies.map((body) => body.includes(JSON.stringify(sent).slice(0, -1))),
      bodies.map(() => true),
    )
    const [strict] = bodies.filter((body) => body.includes('"strict":true'))
    assert.include(strict, '"required":["isReady","missing","note"],"additionalProperties":false')
  })

  it("own-tool lets both agents call a function of the program, whose results reach their models", async () => {
    const asked = ["nut", "bolt"].map((article) => ({ article }))
    await using stage = await Stage.make(({ api, toolResults, tools }) => {
      const name = tools.find((tool) =>
        api === "responses" ? tool === "zain.stock" : /^mcp__zain-\w+__stock$/.test(tool),
      )
      const input = asked[toolResults.length]
      if (name === undefined) return ScriptedTurn.text("There is no tool.")
      return input === undefined ? ScriptedTurn.text("12 nuts.") : ScriptedTurn.toolCall(name, input)
    })
    const { stdout, ...rest } = await stage.run("examples/own-tool/main.ts")
    assert.deepStrictEqual(rest, well)
    const lines = (agent: string) => [`${agent} asks for nut.`, `${agent} asks for bolt.`, `${agent}: 12 nuts.`, ""]
    assert.strictEqual(stdout, [...lines("codex").slice(0, 3), ...lines("claude-code")].join("\n"))
    const last = (await stage.model.requests()).filter(({ toolResults }) => toolResults.length === 2)
    assert.deepStrictEqual(
      last.map(({ api, toolResults }) => [api, ...toolResults.map(({ text }) => text)]),
      ["responses", "messages"].map((api) => [
        ...[api, '{"pieces":12}'],
        "`stock` failed: There is no article bolt. Articles: nut.",
      ]),
    )
  })

  it("attachments shows both agents a picture and a file, which reach their models", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
    await using stage = await Stage.make(({ api, body, userMessages }) => {
      const isShown = JSON.stringify(body).includes(api === "responses" ? `data:image/png;base64,${pixel}` : pixel)
      const isRead = userMessages.some((text) => text.includes("It is red."))
      return ScriptedTurn.text(isShown && isRead ? "It does." : "I see nothing.")
    })
    writeFileSync(stage.file("page.png"), Buffer.from(pixel, "base64"))
    writeFileSync(stage.file("notes.md"), "It is red.")
    const { stdout, ...rest } = await stage.run("examples/attachments/main.ts")
    assert.deepStrictEqual(rest, well)
    assert.strictEqual(stdout, "codex: It does.\nclaude-code: It does.\n")
  })

  it("another-model asks both agents' session models, and another one for one turn", async () => {
    await using stage = await Stage.make(({ body }) => ScriptedTurn.text(`By ${(body as { model: string }).model}.`))
    const { stdout, ...rest } = await stage.run("examples/another-model/main.ts")
    assert.deepStrictEqual(rest, well)
    assert.match(stdout, /^codex: By gpt-6-luna\.\nclaude-code: By claude-haiku-\S+\.\n$/)
    const models = (await stage.model.requests()).map(({ body }) => (body as { model: string }).model)
    assert.deepStrictEqual(models.slice(0, 2), ["scripted-model", "gpt-6-luna"])
  })

  it("steer speaks to both agents while a tool runs, and their models receive the text", async () => {
    await using stage = await Stage.make(({ api, messages, toolResults }) => {
      if (messages.some(({ text }) => text.includes("Leave the snapshots"))) return ScriptedTurn.text("Without them.")
      if (toolResults.length > 0) return ScriptedTurn.text("With them.")
      return api === "responses"
        ? ScriptedTurn.toolCall("exec_command", { cmd: "sleep 2" })
        : ScriptedTurn.toolCall("Bash", { command: "sleep 2", description: "Wait" })
    })
    const { stdout, ...rest } = await stage.run("examples/steer/main.ts")
    assert.deepStrictEqual(rest, well)
    const steered = (provider: string) =>
      `${provider}: Without them.\n{ _id: 'Result', _tag: 'Success', value: 'applied' }\n`
    assert.strictEqual(stdout, `${steered("codex")}${steered("claude-code")}`)
  })

  it("questions answers both agents by an option and in own words, and their models receive the answers", async () => {
    const labels = { responses: ["Jest", "Vitest"], messages: ["Mocha", "Jest"] }
    await using stage = await Stage.make(({ api, toolResults }) => {
      const [result] = toolResults
      if (result !== undefined)
        return ScriptedTurn.text(result.text.includes("itest") ? "With vitest." : "Without an answer.")
      const options = labels[api].map((label) => ({ label, description: `The runner ${label}` }))
      const asked = { header: "Runner", question: "Which runner?", options }
      return api === "responses"
        ? ScriptedTurn.toolCall("request_user_input", { questions: [{ id: "runner", ...asked }] })
        : ScriptedTurn.toolCall("AskUserQuestion", { questions: [{ ...asked, multiSelect: false }] })
    })
    const { stdout, ...rest } = await stage.run("examples/questions/main.ts")
    assert.deepStrictEqual(rest, well)
    const answered = (id: string, answer: string) =>
      `ask ${JSON.stringify({ _tag: "Answer", answers: { [id]: [answer] } })}\nWith vitest.\n`
    assert.strictEqual(stdout, `${answered("runner", "Vitest")}${answered("1", "Use vitest.")}`)
    const received = (await stage.model.requests()).flatMap(({ toolResults }) => toolResults.map(({ text }) => text))
    assert.include(received[0], '"Vitest"')
    assert.include(received.at(-1), "Use vitest.")
  })

  it("promises shows answers, a deadline, a signal and a refusal, and its conversation continues", async () => {
    await using stage = await Stage.make(({ userMessages }) => {
      const last = userMessages.at(-1) ?? ""
      if (last.startsWith("Count")) return ScriptedTurn.hang
      if (last.startsWith("Think")) return ScriptedTurn.text("I have one.")
      return ScriptedTurn.text(userMessages.includes("Think of a number.") ? "It was 7." : "Which number?")
    })
    const { stdout, ...rest } = await stage.run("examples/promises/main.ts")
    assert.deepStrictEqual(rest, well)
    assert.match(
      stdout,
      /^I have one\.\ndeadline-exceeded: .*\nAborted: TimeoutError: .*\nIt was 7\.\nempty-content: .*\n$/,
    )
    for (const request of await stage.model.requests()) {
      if (request.userMessages.at(-1)?.startsWith("Count")) await stage.model.awaitGone(request)
    }
  })

  it("errors causes each of the four errors, and prints its reason, its delivery and a remedy", async () => {
    await using stage = await Stage.make(() => ScriptedTurn.hang)
    const { stdout, ...rest } = await stage.run("examples/errors/main.ts")
    assert.deepStrictEqual(rest, well)
    const errors = stdout.split("\n\n").filter((text) => text !== "")
    assert.deepStrictEqual(
      errors.map((text) => text.split("\n", 1)[0]),
      [
        "ConnectionUnavailable (spawn-failed, not-sent)",
        "ConnectionUnavailable (unreachable, not-sent)",
        "ConnectionUnavailable (rate-limited, not-sent)",
        "InvalidRequest (empty-content, not-sent)",
        "ConnectionUnavailable (deadline-exceeded, unknown)",
        "SessionNotFound (unknown-session, not-sent)",
        "SessionClosed (closed, not-sent)",
      ],
    )
    for (const text of errors) assert.match(text, /^.*\n {2}.+\n {2}.+$/, "a message and a remedy follow")
    assert.include(stdout, "Retry in 30000 ms.")
    for (const request of await stage.model.requests()) await stage.model.awaitGone(request)
  })
})
