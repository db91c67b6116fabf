/**
 * The command line of both commands, its errors and its help.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Agent } from "@zain/agent-list/Agent"
import { agents } from "@zain/agent-list/Agents"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import { Duration, Result } from "effect"
import * as CommandLine from "../../src/command/LoopCommandLine.ts"
import * as LoopHelp from "../../src/command/LoopHelp.ts"
import * as Options from "../../src/command/Options.ts"
import * as Rubric from "../../src/Rubric.ts"

type Environment = Readonly<Record<string, string>>

/** A line split into arguments; ~ is a space within one. */
const parse = (line: string, env: Environment = {}) =>
  CommandLine.parse(
    line
      .split(" ")
      .filter(Boolean)
      .map((word) => word.replace("~", " ")),
    env,
    agents,
  )

const serve = (line: string, env?: Environment): CommandLine.Serve => {
  const parsed = Result.getOrThrow(parse(`serve ${line}`, env))
  assert.strictEqual(parsed._tag, "Serve")
  return parsed as CommandLine.Serve
}

const improve = (line: string, env?: Environment): CommandLine.Improve => {
  const parsed = Result.getOrThrow(parse(`improve ${line}`, env))
  assert.strictEqual(parsed._tag, "Improve")
  return parsed as CommandLine.Improve
}

const problem = (line: string, env?: Environment): string => {
  const parsed = parse(line, env)
  assert.isTrue(Result.isFailure(parsed), line)
  return Result.isFailure(parsed) ? parsed.failure.message : ""
}

const [codex, claudeCode] = agents as [Agent, Agent]
const judge: CommandLine.Serve["judge"] = {
  agent: codex,
  command: undefined,
  model: undefined,
  passed: [],
  attempts: 3,
  timeout: Duration.minutes(2),
  prompt: undefined,
  maxBuffer: 20 * 1024 * 1024,
}

describe("the command line of loopsmith serve", () => {
  it("defaults to Streamable HTTP and WebSocket at 127.0.0.1:23100 with Codex as the judge (LoopSmith 2)", () => {
    assert.deepStrictEqual(serve(""), {
      _tag: "Serve",
      transport: {
        kind: "both",
        host: "127.0.0.1",
        port: 23_100,
        tokenFile: undefined,
        allowedHosts: [],
        allowedOrigins: [],
        maxSessions: undefined,
        sessionIdle: undefined,
        json: false,
      },
      judge,
      target: 8,
      maxIterations: 5,
      logLevel: "info",
    })
  })

  it("accepts http or ws alone with the same port, and stdio without one", () => {
    for (const kind of ["http", "ws"] as const)
      assert.deepInclude(serve(kind).transport, { kind, host: "127.0.0.1", port: 23_100 })
    assert.deepStrictEqual(serve("stdio").transport, { kind: "stdio" })
    assert.deepStrictEqual(serve("stdio", { MCP_PORT: "8000", MCP_HOST: "::1" }).transport, { kind: "stdio" })
  })

  it("takes defaults from the environment", () => {
    const env = {
      MCP_HOST: "::1",
      MCP_PORT: "8931",
      LOG_LEVEL: "DEBUG",
      MAX_ITERATIONS: "7",
      TARGET_SCORE: "9.5",
      EVALUATION_PROMPT_PATH: "/prompts/mine.txt",
      CODEX_TIMEOUT: "5000",
      CODEX_MAX_BUFFER: "1024",
    }
    const { transport, judge: set, ...rest } = serve("", env)
    assert.deepInclude(transport, { host: "::1", port: 8931 })
    assert.deepInclude(set, { prompt: "/prompts/mine.txt", timeout: Duration.seconds(5), maxBuffer: 1024 })
    assert.deepStrictEqual(rest, { _tag: "Serve", target: 9.5, maxIterations: 7, logLevel: "debug" })
    for (const time of ["5s", "5~seconds"])
      assert.deepInclude(serve("", { CODEX_TIMEOUT: time.replace("~", " ") }).judge, { timeout: Duration.seconds(5) })
    const said = serve(
      "--host 127.0.0.2 --port 0 --log-level error --iterations 1 --target 0 --timeout 7s --prompt p",
      env,
    )
    assert.deepInclude(said.transport, { host: "127.0.0.2", port: 0 })
    assert.deepInclude(said.judge, { prompt: "p", timeout: Duration.seconds(7) })
    assert.deepInclude(said, { target: 0, maxIterations: 1, logLevel: "error" })
  })

  it("selects the mock judge by the environment or an argument", () => {
    for (const yes of ["true", "TRUE", "1"])
      assert.deepStrictEqual(serve("", { USE_MOCK_EVALUATOR: yes }).judge, { agent: "mock" })
    for (const no of ["false", "0", "", " "])
      assert.deepInclude(serve("", { USE_MOCK_EVALUATOR: no }).judge, { agent: codex })
    assert.deepStrictEqual(serve("--judge mock").judge, { agent: "mock" })
    assert.deepInclude(serve("--judge claude-code", { USE_MOCK_EVALUATOR: "true" }).judge, { agent: claudeCode })
  })

  it("accepts every option of a judge", () => {
    const line = "--judge codex --judge-command /opt/codex --judge-model small --attempts 1 --env A --env B_2"
    assert.deepInclude(serve(line).judge, {
      agent: codex,
      command: "/opt/codex",
      model: "small",
      attempts: 1,
      passed: ["A", "B_2"],
    })
  })
})

describe("the command line of loopsmith improve", () => {
  it("defaults to Codex as judge, Claude Code as writer, 8.0 in 5 iterations, and outputs beside the original (LoopSmith 10)", () => {
    assert.deepStrictEqual(improve("guide.md"), {
      _tag: "Improve",
      file: "guide.md",
      judge,
      writer: {
        agent: claudeCode,
        command: undefined,
        model: undefined,
        passed: [],
        attempts: 3,
        timeout: Duration.minutes(10),
      },
      rubric: Rubric.defaults,
      output: undefined,
      report: undefined,
      inPlace: false,
      force: false,
      json: false,
      quiet: false,
      target: 8,
      maxIterations: 5,
      logLevel: "warn",
    })
  })

  it("accepts every option", () => {
    const line = "--judge claude-code --writer codex --writer-command w --writer-model m --writer-timeout 1~minute"
    const said = improve(`a.md ${line} -o b.md --report r.html -f --json --env KEY --log-level debug`)
    assert.deepInclude(said.writer, {
      agent: codex,
      command: "w",
      model: "m",
      passed: ["KEY"],
      timeout: Duration.minutes(1),
    })
    assert.deepInclude(said.judge, { agent: claudeCode, passed: ["KEY"] })
    assert.deepInclude(said, { output: "b.md", report: "r.html", force: true, json: true, logLevel: "debug" })
    assert.deepInclude(improve("--in-place --no-report -q a.md"), { inPlace: true, report: false, quiet: true })
    assert.strictEqual(improve("- -o out.md").file, "-")
    assert.strictEqual(improve("-- --odd-name.md").file, "--odd-name.md")
  })

  it("reads weights in any proportion and completes them", () => {
    const { rubric } = improve("a.md --rubric completeness=3,accuracy=3,clarity=2,usability=2")
    for (const name of Rubric.criteria) assert.closeTo(rubric[name], Rubric.defaults[name], 1e-12)
    assert.deepStrictEqual(
      improve("a.md --rubric clarity=0.2").rubric,
      Result.getOrThrow(Rubric.make({ clarity: 0.2 })),
    )
  })
})

const wrong: ReadonlyArray<readonly [line: string, said: string, env?: Environment]> = [
  ["frobnicate", 'Unknown command "frobnicate"; expected serve or improve.'],
  ["serve both", 'Unknown transport "both"; expected stdio, http or ws.'],
  ["serve tcp", 'Unknown transport "tcp"; expected stdio, http or ws.'],
  ["serve ws http", 'Unexpected argument "http".'],
  ["serve stdio --port 1", "--port is for servers that listen only."],
  ["serve --judge gpt", '--judge takes codex, claude-code or mock, not "gpt".'],
  ["serve --judge mock --judge-model m", "--judge-model has no effect with the mock judge"],
  ["serve --attempts 0", "--attempts takes a whole number from 1 to 10"],
  ["serve --target 11", "--target takes a score from 0 to 10"],
  ["serve --iterations 0", "--iterations takes a whole number from 1"],
  ["serve --log-level loud", "--log-level takes debug, info, warn or error"],
  ["serve", "MCP_PORT takes a whole number", { MCP_PORT: "http" }],
  ["serve", "USE_MOCK_EVALUATOR takes true, false, 1 or 0", { USE_MOCK_EVALUATOR: "maybe" }],
  ["improve a.md", "TARGET_SCORE takes a score", { TARGET_SCORE: "10.5" }],
  ["serve", "CODEX_TIMEOUT takes a duration", { CODEX_TIMEOUT: "soon" }],
  ["serve", "CODEX_TIMEOUT takes a duration", { CODEX_TIMEOUT: "0" }],
  ["serve", "CODEX_MAX_BUFFER takes a whole number", { CODEX_MAX_BUFFER: "20MiB" }],
  ["improve", "FILE is missing."],
  ["improve a.md b.md", 'Unexpected argument "b.md": improve takes one document.'],
  ["improve a.md --writer mock", "--writer takes codex or claude-code"],
  ["improve a.md --rubric clarity", "--rubric takes weights such as"],
  ["improve a.md --rubric clarity=1,clarity=2", "two weights for clarity"],
  ["improve a.md --rubric beauty=1", "beauty"],
  ["improve a.md --rubric completeness=0,accuracy=0,clarity=0,usability=0", "Nothing counts"],
  ["improve a.md -o b.md --in-place", "--output and --in-place cannot be combined."],
  ["improve a.md --report r --no-report", "--report and --no-report cannot be combined."],
  ["improve a.md --json --quiet", "--json and --quiet cannot be combined."],
  ["improve - --in-place", "--in-place requires a file"],
  ["improve - --json", "--json prints events on standard output"],
  ["improve a.md --json --output -", "--json prints events on standard output"],
  ["improve a.md --report -", "--report requires the path of a file"],
  ["improve a.md --output=", "--output requires the path of a file."],
]

describe("an invalid command line", () => {
  for (const [line, said, env] of wrong)
    it(`fails with one sentence: ${line} ${env === undefined ? "" : JSON.stringify(env)}`, () => {
      const message = problem(line, env)
      assert.include(message, said)
      assert.notInclude(message, "\n")
    })

  it("does not repeat a value given in place of a variable's name (LoopSmith 11)", () => {
    const message = problem("serve --env KEY=sk-secret")
    assert.include(message, "--env takes the name of a variable")
    assert.notInclude(message, "sk-secret")
  })

  it("names the command whose --help applies", () => {
    const topicOf = (line: string) =>
      Result.match(parse(line), { onFailure: ({ topic }) => topic, onSuccess: () => "none" })
    assert.deepStrictEqual(["x", "serve x", "improve"].map(topicOf), [undefined, "serve", "improve"])
  })
})

describe("the list of agents", () => {
  it("is passed by the caller: a third agent can judge and write, and appears in the help", () => {
    const third: Agent = { ...codex, name: "third" }
    const all = [...agents, third]
    const parsed = CommandLine.parse(["improve", "a.md", "--judge", "third", "--writer", "third"], {}, all)
    const { judge, writer } = Result.getOrThrow(parsed) as CommandLine.Improve
    assert.deepStrictEqual([judge.agent, writer.agent], [third, third])
    for (const topic of ["improve", "serve"] as const)
      assert.include(LoopHelp.text(topic, all), "the judge: codex, claude-code, third or mock")
  })
})

describe("--help", () => {
  it("prints the help of the command and of both subcommands, also among invalid values", () => {
    const topicOf = (line: string) => {
      const parsed = Result.getOrThrow(parse(line, { MCP_PORT: "wrong" }))
      return parsed._tag === "Help" ? (parsed.topic ?? "all") : parsed._tag
    }
    for (const line of ["", "--help", "-h", "help"]) assert.strictEqual(topicOf(line), "all")
    for (const line of ["help serve", "serve --help", "serve tcp --help"]) assert.strictEqual(topicOf(line), "serve")
    for (const line of ["improve -h", "improve --target 11 -h"]) assert.strictEqual(topicOf(line), "improve")
    assert.strictEqual(topicOf("--version"), "Version")
    assert.strictEqual(topicOf("serve -v"), "Version")
  })

  it("lists every accepted option and no other", () => {
    const taken = {
      serve: { ...Options.serve(agents), ...ServeOptions.pipes, ...Options.listening, help: true, version: true },
      improve: { ...Options.improve(agents), help: true, version: true },
    }
    for (const topic of ["serve", "improve"] as const) {
      const listed = [...LoopHelp.text(topic, agents).matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => name)
      assert.deepStrictEqual(listed.sort(), Object.keys(taken[topic]).sort(), topic)
    }
    assert.include(LoopHelp.text("serve", agents), "after how many evaluations a session counts from 1 again")
    for (const topic of [undefined, "serve", "improve"] as const)
      for (const line of LoopHelp.text(topic, agents).split("\n")) assert.isAtMost(line.length, 130, line)
  })
})
