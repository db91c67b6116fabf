/**
 * Turns that leave work behind: what the model of an agent and that of its sub-agent do, step by step.
 */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type { AgentName } from "./AgentServers.ts"
import * as CodexCalls from "./CodexCalls.ts"

type Request = ModelRequest.ModelRequest

/** How the model of an agent leaves a command in the background, runs one, and starts a sub-agent. Commands need approval. */
export interface Tools {
  readonly leave: (request: Request, command: string) => ScriptedTurn.ToolCall
  readonly run: (request: Request, command: string) => ScriptedTurn.ToolCall
  readonly spawn: (request: Request, task: string) => ScriptedTurn.ToolCall
}

/** One answer of a model. */
export type Step = (
  request: Request,
  tools: Tools,
) => ScriptedTurn.ScriptedTurn | Effect.Effect<ScriptedTurn.ScriptedTurn>

/** The answers in each turn of the agent, and those of its sub-agent. */
export interface Story {
  readonly turns: ReadonlyArray<ReadonlyArray<Step>>
  readonly sub?: ReadonlyArray<Step>
}

/** The prompt of a turn, counted from 0. */
export const prompt = (turn: number): string => `⟦turn ${turn}⟧`

export const leave =
  (command: string): Step =>
  (request, tools) =>
    tools.leave(request, command)
export const run =
  (command: string): Step =>
  (request, tools) =>
    tools.run(request, command)
export const spawn: Step = (request, tools) => tools.spawn(request, "Do your task.")
export const say =
  (text: string): Step =>
  () =>
    ScriptedTurn.text(text)
export const hang: Step = () => ScriptedTurn.hang
/** Waits before a step. */
export const after =
  (gate: Effect.Effect<unknown>, step: Step): Step =>
  (request, tools) =>
    Effect.flatMap(gate, () => answered(step(request, tools)))

const answered = (answer: ReturnType<Step>) => (Effect.isEffect(answer) ? answer : Effect.succeed(answer))

/** A model that plays a story. A sub-agent does not see the prompts of its parent. */
export const respond =
  (story: Story, tools: Tools) =>
  (request: Request): Effect.Effect<ScriptedTurn.ScriptedTurn> => {
    const turn = request.userMessages
      .flatMap((text) => [...text.matchAll(/⟦turn (\d+)⟧/g)].map(([, n]) => Number(n)))
      .at(-1)
    const prefix = `call_${turn ?? "sub"}_`
    const at = request.toolResults.filter(({ callId }) => callId.startsWith(prefix)).length
    const step = (turn === undefined ? story.sub : story.turns[turn])?.[at] ?? say("There is no such step.")
    return Effect.map(answered(step(request, tools)), (answer) =>
      answer._tag === "ToolCall" ? { ...answer, callId: `${prefix}${at}` } : answer,
    )
  }

const codex = (name: string, task: (message: string) => Record<string, unknown>): Tools => {
  const command = (request: Request, cmd: string, millis: number) =>
    CodexCalls.call(request, "exec_command", {
      ...{ cmd, yield_time_ms: millis, sandbox_permissions: "require_escalated", justification: "May I?" },
    })
  return {
    leave: (request, line) => command(request, line, 250),
    run: (request, line) => command(request, line, 30_000),
    spawn: (_, message) => ScriptedTurn.toolCall(name, task(message)),
  }
}
const first = codex("multi_agent_v1.spawn_agent", (message) => ({ message }))

const bash = (command: string, more: object) =>
  ScriptedTurn.toolCall("Bash", { command, description: "May I?", ...more })
const claudeCode: Tools = {
  leave: (_, line) => bash(line, { run_in_background: true }),
  run: (_, line) => bash(line, {}),
  spawn: (_, prompt) => ScriptedTurn.toolCall("Agent", { description: "A task", prompt }),
}

/**
 * An agent, the kind of its model, and the model's name.
 *
 * - `reports`: how many requests it makes when a sub-agent ends
 * - `off`: with `background: "off"`, what its tools do not name, how many requests its sub-agent makes within the turn, and
 *   whether a command can be left in the background, where it is ended
 */
export interface Teller {
  readonly agent: AgentName
  readonly kind: string
  readonly model?: string
  readonly tools: Tools
  readonly reports: number
  readonly off: { readonly without: RegExp; readonly requests: number; readonly leaves: boolean }
}

const { code, tools, unknown } = CodexCalls.models

const facts = {
  codex: { agent: "codex", reports: 0, off: { without: /agent|goal/, requests: 0, leaves: true } },
  claudeCode: { agent: "claude-code", reports: 1, off: { without: /Monitor|Workflow/, requests: 1, leaves: false } },
} as const

/** Who tells the stories. */
export const tellers: ReadonlyArray<Teller> = [
  { ...facts.codex, kind: "unknown", model: unknown, tools: first },
  { ...facts.codex, kind: "tools", model: tools, tools: first },
  {
    ...facts.codex,
    kind: "code",
    model: code,
    tools: codex("collaboration.spawn_agent", (message) => ({ task_name: "sub", message, fork_turns: "none" })),
  },
  { ...facts.claudeCode, kind: "any", tools: claudeCode },
]
