/**
 * Scenes in which the real agents send every event that they can.
 */
import type { McpEvent } from "@zain/core"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { Effect, Stream } from "effect"
import { type AgentName, place } from "./AgentServers.ts"
import * as BackgroundStories from "./BackgroundStories.ts"
import * as ModelLimits from "./ModelLimits.ts"
import * as OwnClient from "./OwnClient.ts"
import * as Wishes from "./Wishes.ts"

/** A turn: its prompt, the options of it, and what the model does before it answers. */
interface Scene {
  readonly prompt: string
  readonly providerOptions?: object
  readonly acts: (request: ModelRequest.ModelRequest) => ReadonlyArray<ScriptedTurn.ScriptedTurn>
}

/** When the limits start anew, in seconds since 1970: a limit of the past is none. */
const resetsAt = Math.ceil(Date.now() / 1000) + 3600

/** What an answer of the model has beside its text. */
type Beside = NonNullable<Parameters<typeof ScriptedTurn.text>[1]>

interface Stage {
  readonly model: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly options?: object
  readonly beside: Beside
  readonly scenes: ReadonlyArray<Scene>
}

const change: Scene = {
  prompt: "Change a file.",
  acts: (request) => {
    const agent: AgentName = request.api === "responses" ? "codex" : "claude-code"
    return [Wishes.calls[agent].write(request, "changed.txt", "changed")]
  },
}

const spawn = (agent: AgentName): Scene => ({
  prompt: "Let another work.",
  acts: (request) => {
    const teller = BackgroundStories.tellers.find(
      (one) => one.agent === agent && (one.model === undefined || one.model === request.model),
    )
    return teller === undefined ? [] : [teller.tools.spawn(request, "Do your task.")]
  },
})

const stages: Readonly<Record<AgentName, Stage>> = {
  codex: {
    model: "gpt-5.5",
    config: { sandbox_mode: "danger-full-access", tools: { update_plan: { enabled: true } } },
    beside: {
      reasoning: "It thinks.",
      headers: {
        "openai-model": "another-model",
        ...ModelLimits.headers("codex", 12, resetsAt),
      },
    },
    scenes: [
      {
        prompt: "Make a plan.",
        acts: () => [ScriptedTurn.toolCall("update_plan", { plan: [{ step: "one", status: "in_progress" }] })],
      },
      {
        prompt: "Run a command.",
        acts: () => [ScriptedTurn.toolCall("exec_command", { cmd: "sleep 0.5; echo one; sleep 0.5; echo two" })],
      },
      change,
      spawn("codex"),
      { prompt: "Go on.", providerOptions: { model: "gpt-6.1-sol" }, acts: () => [] },
      { prompt: "Go on again.", acts: () => [] },
    ],
  },
  "claude-code": {
    model: "claude-sonnet-4-5",
    env: ModelLimits.claudeLogin,
    options: { promptCommands: true, permissionMode: "acceptEdits", settings: { fallbackModel: ["claude-haiku-4-5"] } },
    beside: {
      reasoning: "It thinks.",
      headers: ModelLimits.headers("claude-code", 12, resetsAt),
    },
    scenes: [
      {
        prompt: "Make a plan.",
        acts: () => [ScriptedTurn.toolCall("TaskCreate", { subject: "one", description: "one", activeForm: "one" })],
      },
      {
        prompt: "Run a command.",
        acts: () => [ScriptedTurn.toolCall("Bash", { command: "echo one; sleep 4.5; echo two", description: "Count" })],
      },
      change,
      spawn("claude-code"),
      { prompt: "/compact", acts: () => [] },
      {
        prompt: "Use another model.",
        acts: ({ model }) =>
          model.includes("haiku") ? [] : Array.from({ length: 20 }, () => ScriptedTurn.httpError(529)),
      },
    ],
  },
}

/** Plays all scenes of an agent, and returns their events in order. */
export const play = Effect.fnUntraced(function* (agent: AgentName) {
  const { beside, config, env = {}, model, options, scenes } = stages[agent]
  const played = new Map<string, number>()
  const at = yield* place(agent, {
    model,
    ...(config === undefined ? {} : { config }),
    retries: true,
    respond: (request) => {
      const scene = scenes.findLast(({ prompt }) => request.userMessages.some((text) => text.includes(prompt)))
      const acts = scene?.acts(request) ?? []
      const turn = played.get(scene?.prompt ?? "") ?? 0
      played.set(scene?.prompt ?? "", turn + 1)
      return acts[turn] ?? ScriptedTurn.text("Done.", beside)
    },
  })
  const client = yield* OwnClient.adapter(agent, { rules: [{ answer: "approve" }] })
  const given = OwnClient.config({ ...at, env: { ...at.env, ...env } })
  const own = { ...(agent === "codex" ? {} : { model }), ...options }
  const session = yield* client.openSession(OwnClient.adding(given, own))
  const events: Array<McpEvent> = []
  for (const { acts: _, prompt: content, ...request } of scenes) {
    const streamed = yield* Stream.runCollect(client.stream(session, { content, ...request }))
    events.push(...streamed.filter((one) => one._tag !== "Response"))
  }
  return events
})
