/**
 * A real agent as a subject of the contract suite: its model follows the suite's script.
 */
import { ContractScript, PeerObservation } from "@zain/contract-tests"
import { type ModelRequest, ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import { Effect, Schedule } from "effect"
import * as BackgroundStories from "./BackgroundStories.ts"
import * as ModelLimits from "./ModelLimits.ts"
import * as OwnProcesses from "./OwnProcesses.ts"
import * as Wishes from "./Wishes.ts"

type Question = ContractScript.Action & { readonly _tag: "Approve" | "Ask" | "Change" }

const speaker = { responses: "codex", messages: "claude-code" } as const

/** The tool results by which a model recognises that a command ran, or that its question was answered. */
const hasRun =
  /Process exited with code 0|completed with no output|Success\. Updated|Script completed|created successfully/
const hasAnswer = /"answers":\{"|questions have been answered|The user answered/

/** Asks the user with the agent's own tool. */
const asking = (request: Pick<ModelRequest.ModelRequest, "api">, question: string) => {
  const asked = { header: "Colour", question, options: ContractScript.choices }
  return request.api === "responses"
    ? ScriptedTurn.toolCall("request_user_input", { questions: [{ id: "colour", ...asked }] })
    : ScriptedTurn.toolCall("AskUserQuestion", { questions: [{ ...asked, multiSelect: false }] })
}

/** How long a model waits after a refusal, in milliseconds. */
const thinking = 1_000

const isPrompt = (message: string) => message.includes("⟦zain:")

/** The prompts of a request. Claude Code gives a text of `steer` to its model as a message of the system. */
const promptsOf = ({ messages }: ModelRequest.ModelRequest): ReadonlyArray<string> =>
  messages.flatMap(({ role, text }) => (role !== "assistant" && isPrompt(text) ? [text] : []))

/** Requests an approval, and answers with the tool's result and with the user's further messages. */
const approve = (request: ModelRequest.ModelRequest, question: Question, callId: string) => {
  const { toolResults, userMessages } = request
  const reported = toolResults.find((result) => result.callId === callId)
  const { run, write } = Wishes.calls[speaker[request.api]]
  if (reported === undefined) {
    switch (question._tag) {
      case "Approve":
        return { ...run(request, "touch approved"), callId }
      case "Ask":
        return { ...asking(request, question.text), callId }
      case "Change":
        return { ...write(request, "changed.txt", question.text), callId }
    }
  }
  const beside = userMessages.slice(userMessages.findLastIndex(isPrompt) + 1)
  const hasDone = (question._tag === "Ask" ? hasAnswer : hasRun).test(reported.text)
  // Codex sends a user's message with a refusal while the model works, and calls the model again.
  const pause = request.api === "responses" && !hasDone && beside.length === 0 ? thinking : 0
  return ScriptedTurn.text(ContractScript.decided(hasDone, [reported.text, ...beside].join(" ")), { chunks: 1, pause })
}

/** Calls tools of the session's own by the names under which they are offered, and answers with their results. */
const use = (
  request: ModelRequest.ModelRequest,
  calls: ReadonlyArray<ContractScript.ToolUse>,
  callId: string,
): ScriptedTurn.ScriptedTurn => {
  const ids = calls.map((_, at) => (at === 0 ? callId : `${callId}-${at}`))
  const results = ids.map((id) => request.toolResults.find((result) => result.callId === id)?.text)
  if (results.every((text) => text !== undefined)) return ScriptedTurn.text(ContractScript.used(results))
  const { call } = Wishes.calls[speaker[request.api]]
  const offered = ({ tool }: ContractScript.ToolUse) =>
    request.tools.find((name) => name.endsWith(tool)) ?? `zain.${tool}`
  return ScriptedTurn.toolCalls(
    calls.map((one, at) => ({
      ...call(request, offered(one), one.input as Readonly<Record<string, unknown>>),
      callId: ids[at] ?? callId,
    })),
  )
}

/** The directive of a sub-agent. Some of Codex's models do not see it as the user's. */
const task: ContractScript.Action = { _tag: "Approve" }

/** Starts a sub-agent, and answers while it works. */
const delegate = (request: ModelRequest.ModelRequest, text: string, callId: string) => {
  if (request.toolResults.some((result) => result.callId === callId)) return ScriptedTurn.text(text)
  const teller = BackgroundStories.tellers.find(
    ({ agent, model }) => agent === speaker[request.api] && (model === undefined || model === request.model),
  )
  const spawned = teller?.tools.spawn(request, "Do your task.")
  return spawned === undefined ? ScriptedTurn.hang : { ...spawned, callId }
}

/** The tool by which Claude Code gives a structured answer. */
const answering = "StructuredOutput"

/** The schema of the answer, as it reached the model. */
const schemaOf = ({ api, body }: ModelRequest.ModelRequest): unknown => {
  if (api === "responses") return (body as OpenAi).text?.format?.schema
  return (body as Anthropic).tools?.find(({ name }) => name === answering)?.input_schema
}

interface OpenAi {
  readonly text?: { readonly format?: { readonly schema?: unknown } }
}
interface Anthropic {
  readonly tools?: ReadonlyArray<{ readonly name?: string; readonly input_schema?: unknown }>
}

/** Answers with a text, or by the tool for structured answers where it is offered. */
const say = (request: ModelRequest.ModelRequest, text: string, callId: string): ScriptedTurn.ScriptedTurn => {
  if (request.api === "responses" || !request.tools.includes(answering)) return ScriptedTurn.text(text)
  if (request.toolResults.some((result) => result.callId === callId)) return ScriptedTurn.text("Done.")
  return { ...ScriptedTurn.toolCall(answering, JSON.parse(text)), callId }
}

/** The pictures beside a prompt, as they reached the model: data URLs, or base64. */
const picturesOf = ({ body }: ModelRequest.ModelRequest, prompt: string): ReadonlyArray<string> => {
  const { input, messages } = body as {
    readonly [name in "input" | "messages"]?: ReadonlyArray<{ readonly content?: unknown }>
  }
  const said = (input ?? messages ?? []).map(({ content }) => JSON.stringify(content) ?? "")
  const own = said.findLast((text) => text.includes(JSON.stringify(prompt).slice(1, -1))) ?? ""
  return [...own.matchAll(/"(?:image_url|data)":"([^"]+)"/g)].map(([, picture = ""]) => picture)
}

const turnOf = (
  action: ContractScript.Action,
  request: ModelRequest.ModelRequest,
  callId: string,
  crash: () => void,
): ScriptedTurn.ScriptedTurn => {
  switch (action._tag) {
    case "Say":
      // Codex cannot read an event of its model with half a surrogate pair, which no model sends.
      return say(request, request.api === "responses" ? action.text.toWellFormed() : action.text, callId)
    case "Events":
      return ScriptedTurn.text(action.text, { chunks: action.pieces.length })
    case "Fail":
      return ScriptedTurn.httpError(403, { message: action.reason })
    case "Limit":
      return ModelLimits.rejection(speaker[request.api], ContractScript.resetsAt(action))
    case "Approve":
    case "Ask":
    case "Change":
      return approve(request, action, callId)
    case "Use":
      return use(request, action.calls, callId)
    case "Background":
      return delegate(request, action.text, callId)
    case "Exit":
      crash()
      return ScriptedTurn.hang
    default:
      return ScriptedTurn.hang
  }
}

/** The model, unless Claude Code only asks whether it has one of that name. */
const modelOf = ({ body }: ModelRequest.ModelRequest, prompt: string): unknown =>
  prompt === "" || typeof body !== "object" || body === null ? undefined : (body as { readonly model?: unknown }).model

const agentServer = /zain-(codex|claude-code)-mcp/

/**
 * What the directive `Exit` ends. `agent`: the process that called the model. `agent-server`: the server in front of it.
 */
const crashes = {
  agent: (home: string, port: number) => OwnProcesses.crash(home, port),
  "agent-server": (home: string) =>
    OwnProcesses.killAtOnce(OwnProcesses.withEnvironment(home).filter(({ command }) => agentServer.test(command))),
}

/**
 * A model that follows the script, the home of its agent, and the observation of both.
 *
 * @param codexModel the name of the model for Codex
 *
 * - `peer`: of sessions that have a server each
 * - `peerApart`: of sessions of a server that outlives them; their agents end soon after their client
 */
export const make = async (agent: Wishes.AgentName, dies: keyof typeof crashes = "agent", codexModel?: string) => {
  const record = PeerObservation.make()
  const seen = new Set<string>()
  let hasCrashed = false
  let hasDelegated = false
  const model = await ScriptedModel.start({
    respond: (request) => {
      const prompts = promptsOf(request)
      const prompt = prompts.at(-1) ?? ""
      const callId = `call_${ContractScript.keys(prompts).at(-1)}`
      // A further request with a tool's result carries the same prompt.
      if (!request.toolResults.some((result) => result.callId === callId)) {
        const whole = ContractScript.received(
          prompt,
          picturesOf(request, prompt),
          schemaOf(request),
          modelOf(request, prompt),
        )
        // The agent took a text of a cancelled turn, whose model was never called with it.
        for (const unseen of prompts.slice(0, -1).filter((text) => !seen.has(text))) {
          record.saw({ what: "received", prompt: unseen })
        }
        record.saw({ what: "received", prompt: whole })
        for (const text of prompts) seen.add(text)
      }
      void model.awaitGone(request).then(
        () => record.saw({ what: "cancelled", prompt }),
        () => {},
      )
      const crash = () => {
        hasCrashed = true
        crashes[dies](home.directory, Number(new URL(model.url).port))
      }
      const action = prompts.length === 0 && hasDelegated ? task : ContractScript.decide(prompts)
      hasDelegated ||= action._tag === "Background"
      return turnOf(action, request, callId, crash)
    },
  })
  const options = codexModel === undefined ? {} : { model: codexModel }
  const place = await (agent === "codex" ? model.codex(undefined, options) : model.claudeCode())
  const home = agent === "codex" ? place : { ...place, env: { ...place.env, ...ModelLimits.claudeLogin } }
  const alive = Effect.sync(() => OwnProcesses.exceptGuards(OwnProcesses.withEnvironment(home.directory)))
  const agents = Effect.map(alive, (all) => all.filter(({ command }) => !agentServer.test(command)))
  const named = Effect.map((all: ReadonlyArray<OwnProcesses.OwnProcess>) =>
    all.map(({ command, pid }) => `${pid} ${command}`),
  )
  // Only its guard ends the agents of a server that was killed.
  const atOnce = Effect.suspend(() => (hasCrashed && dies === "agent-server" ? soon(alive) : alive))
  return {
    home,
    peer: { ...record.observation, leftovers: named(atOnce) },
    peerApart: { ...record.observation, leftovers: named(soon(agents)) },
    end: () => model[Symbol.asyncDispose](),
  }
}

/** Waits until nothing is left. The limit ends the wait before the suite ends the case. */
const soon = <A>(look: Effect.Effect<ReadonlyArray<A>>) =>
  Effect.repeat(look, {
    until: ({ length }) => length === 0,
    schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "1 minute" })),
  }).pipe(Effect.andThen(look))
