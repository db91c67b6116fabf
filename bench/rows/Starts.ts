/**
 * What a user waits for first: the import of the library, and the first answer of a real agent, which a scripted model gives.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type ModelRequest, ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import type { Usage } from "../BuiltServer.ts"
import { echo } from "../clients/Client.ts"
import { type Contestant, ours, type Row } from "../Row.ts"
import { built, byServer } from "./Contestants.ts"

const program = (name: string) => fileURLToPath(new URL(`../starts/${name}.mjs`, import.meta.url))
const agents = "@zain/agents"
const node = "Node alone"

const usageBy = async (file: string, ...args: ReadonlyArray<string>): Promise<Usage> => {
  const { stdout } = await promisify(execFile)(process.execPath, [program(file), ...args])
  return JSON.parse(stdout)
}

/** The usage of a program that imports at most one module. */
const usage = (...args: ReadonlyArray<string>) => usageBy("usage", ...args)
const answer = () => usageBy("neutral", echo.command, ...echo.args)

/** The memory of a program, without that of Node. */
const beyondNode = async (whole: () => Promise<Usage>) => ({
  resident: (await whole()).resident - (await usage()).resident,
})

const starting = (name: string, measure: () => Promise<Partial<Usage>>): Contestant =>
  built(name, async () => ({ block: async () => ({ units: 1, apart: await measure() }), end: async () => {} }))

const importing = {
  ...byServer,
  unit: "start",
  times: { rounds: 1, blocks: 15, warmUp: 2 },
  note: "A program of one line that imports `@zain/agents`. Node alone is the same without the import.",
} as const

export const importCpu: Row = {
  ...importing,
  name: "import-cpu",
  title: "Import of `@zain/agents`",
  metric: "cpu",
  // 60 ms beside 40 ms of Node's.
  aim: { of: "ratio", max: 2.5, over: node },
  short: 3.1,
  contestants: [starting(ours, () => usage(agents)), starting(node, usage)],
}

export const importMemory: Row = {
  ...importing,
  name: "import-memory",
  title: "Import of `@zain/agents`, more than Node",
  metric: "resident",
  aim: { of: "value", max: 20 * 2 ** 20 },
  short: 20 * 2 ** 20,
  contestants: [starting(ours, () => beyondNode(() => usage(agents)))],
}

const answeringNeutral = {
  ...importing,
  note:
    "A program that imports `@zain/agents`, opens a session with a server of thirty lines over stdio, and makes a call: its own " +
    "process from its start to the answer.",
} as const

export const neutralCpu: Row = {
  ...answeringNeutral,
  name: "first-answer-neutral-cpu",
  title: "First answer of a neutral server",
  metric: "cpu",
  // 130 ms beside 40 ms of Node's.
  aim: { of: "ratio", max: 4.25, over: node },
  contestants: [starting(ours, answer), starting(node, usage)],
}

export const neutralMemory: Row = {
  ...answeringNeutral,
  name: "first-answer-neutral-memory",
  title: "First answer of a neutral server, more than Node",
  metric: "resident",
  aim: { of: "value", max: 28 * 2 ** 20 },
  contestants: [starting(ours, () => beyondNode(answer))],
}

/** The CPU in µs of all processes that this one has started and that have ended, with theirs: in ticks of 10 ms. */
const cpuOfChildren = (): number => {
  const stat = readFileSync("/proc/self/stat", "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[13]) + Number(fields[14])) * 10_000
}

const direct = "driven directly"

type Provider = "codex" | "claudeCode"

const command = { codex: "codex", claudeCode: "claude" }
const sdks = { codex: "`@openai/codex-sdk`", claudeCode: "`@anthropic-ai/claude-agent-sdk`" }

/** What the model answers to a prompt. */
const answers = new Map<string, () => ScriptedTurn.ScriptedTurn>([
  ["Say hello.", () => ScriptedTurn.text("Hello.")],
  ["Say much.", () => ScriptedTurn.text("x".repeat(60 * 2 ** 20), { chunks: 1 })],
  ["Say it in pieces.", () => ScriptedTurn.text("word ".repeat(5_000), { chunks: 5_000 })],
  ["Hang.", () => ScriptedTurn.hang],
])
const respond = ({ userMessages }: ModelRequest.ModelRequest) =>
  answers.get(userMessages.findLast((text) => answers.has(text)) ?? "")?.()

/** A program of `starts` with a real agent. `read` takes what the program wrote, and how long that took in µs. */
const withAgent = (
  name: string,
  file: string,
  provider: Provider,
  read: (said: string, wall: number) => Partial<Usage & { readonly wall: number }>,
  ...more: ReadonlyArray<string>
): Contestant =>
  built(name, async () => {
    const model = await ScriptedModel.start({ respond })
    const { directory, env } = await model[provider]()
    const agent = fileURLToPath(new URL(`../node_modules/.bin/${command[provider]}`, import.meta.url))
    return {
      block: async () => {
        const [began, before] = [performance.now(), cpuOfChildren()]
        const child = spawn(process.execPath, [program(file), provider, agent, JSON.stringify(env), ...more], {
          cwd: directory,
          env: { PATH: process.env["PATH"] ?? "", HOME: directory },
          stdio: ["ignore", "pipe", "inherit"],
        })
        const exit = once(child, "exit")
        const [said] = await once(child.stdout, "data")
        const found = read(String(said), (performance.now() - began) * 1_000)
        await exit
        return { units: 1, apart: { cpu: cpuOfChildren() - before, ...found } }
      },
      end: model.close,
    }
  })

const answering = (name: string, file: string, provider: Provider): Contestant =>
  withAgent(name, file, provider, (said, wall) => {
    if (said !== "Hello.\n") throw new Error(`${name} answered ${said}`)
    return { wall }
  })

const eight = (provider: Provider, title: string, max: number): Row => ({
  ...byServer,
  name: `eight-sessions-${command[provider]}`,
  title: `Eight sessions of ${title} on one server`,
  unit: "session",
  metric: "resident",
  times: { rounds: 1, blocks: 3, warmUp: 0 },
  skipped: () => (process.platform === "linux" ? undefined : "memory of processes is read from /proc"),
  aim: { of: "value", max: max * 2 ** 20 },
  contestants: [withAgent(ours, "eight", provider, (said) => JSON.parse(said))],
  note: `What the agent server and all processes of the real ${title} hold, shared pages by their part, for each of eight open sessions that have answered.`,
})

export const eightOfCodex = eight("codex", "Codex", 30)
export const eightOfClaudeCode = eight("claudeCode", "Claude Code", 125)

const firstAnswer = (provider: Provider, title: string) => ({
  ...byServer,
  unit: "start",
  times: { rounds: 1, blocks: 15, warmUp: 1 },
  skipped: () => (process.platform === "linux" ? undefined : "the CPU of ended children is read from /proc"),
  contestants: [
    answering(ours, "zain", provider),
    answering(sdks[provider], "sdk", provider),
    answering(direct, "direct", provider),
  ],
  note:
    `From the start of a program to the first answer of the real ${title}, whose model is a script, and to the end of all ` +
    "processes for CPU: by `@zain/agents`, by the vendor's SDK, and by thirty lines over the agent's own protocol.",
  limit:
    "The agent's server is a program of Node between the user's and the agent: Node alone takes 70 ms of its start, and 70 of " +
    "the user's. To start the agent before the server's modules are loaded, one file in place of chunks, a bundle for each " +
    "server and a guard that starts later were tried and gain at most 0.02.",
})

const answerTime = (provider: Provider, title: string, max: number): Row => ({
  ...firstAnswer(provider, title),
  name: `first-answer-${command[provider]}`,
  title: `First answer of ${title}`,
  metric: "wall",
  aim: { of: "ratio", max, over: direct },
})

export const codexAnswer = answerTime("codex", "Codex", 1.4)
export const claudeCodeAnswer = answerTime("claudeCode", "Claude Code", 1.25)

export const codexAnswerCpu: Row = {
  ...firstAnswer("codex", "Codex"),
  name: "first-answer-codex-cpu",
  title: "First answer of Codex",
  metric: "cpu",
  aim: { of: "ratio", max: 1.6, over: direct },
}

const beside = (metric: "cpu" | "wall", when: "after" | "apart", other: string): Row => ({
  ...byServer,
  name: `neighbours-${metric}`,
  title: "30 turns of Codex while other sessions of its server work",
  unit: "turn",
  metric,
  times: { rounds: 1, blocks: 3, warmUp: 0 },
  aim: { of: "ratio", max: 1.5, over: other },
  contestants: [turnsOf("beside", ours), turnsOf(when, other)],
  note:
    "The others: an answer of 60 MiB, one in 5,000 pieces whose events are read, and a turn that hangs. Time is that of the 30 " +
    "turns; CPU is that of all processes and sessions together.",
})

const turnsOf = (when: string, name: string) => withAgent(name, "neighbours", "codex", (said) => JSON.parse(said), when)

export const besideTime = beside("wall", "apart", "each on its own server")
export const besideCpu = beside("cpu", "after", "after the others")
