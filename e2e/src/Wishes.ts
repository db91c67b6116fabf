/**
 * What a test makes an agent do. The prompt names it, and the agent's scripted model does it, so that one model serves any
 * number of concurrent conversations.
 */
import { randomUUID } from "node:crypto"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { Deferred, Effect } from "effect"
import * as CodexCalls from "./CodexCalls.ts"

/** The agents that the agent server drives. */
export type AgentName = "codex" | "claude-code"

/**
 * - `Say`: answers with the text, `pause` milliseconds before each of `chunks` deltas, or until a test ends the pause (`Steps`)
 * - `Recall`: answers with the keys of all prompts of this conversation, as a JSON list
 * - `Run`: runs a command for which the agent needs approval, then answers with its result
 * - `Write`: makes a file, for which the agent needs approval, then the same
 * - `Use`: uses a tool of the agent's by its name, then the same
 * - `Hang`: starts an answer and never continues
 * - `Break`: the model's endpoint answers with this status, or breaks off in the middle of a text
 */
export type Wish =
  | { readonly _tag: "Say"; readonly text: string; readonly chunks?: number; readonly pause?: number }
  | { readonly _tag: "Recall" }
  | { readonly _tag: "Run"; readonly command: string }
  | { readonly _tag: "Write"; readonly path: string; readonly text: string }
  | { readonly _tag: "Use"; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Hang" }
  | { readonly _tag: "Break"; readonly how: number | "dropped" }

const pattern = /⟪([0-9a-f]{8}) (.*?)⟫/gsu

/** A prompt for the use of a tool. */
export const use = (tool: string, input: Readonly<Record<string, unknown>>): string =>
  prompt({ _tag: "Use", tool, input }).text

/** A prompt for a wish, and the key by which `Recall` names it. */
export const prompt = (wish: Wish, key = randomUUID().slice(0, 8)) => ({
  key,
  text: `⟪${key} ${JSON.stringify(wish)}⟫`,
})

const prompts = (request: ModelRequest.ModelRequest) =>
  request.userMessages.flatMap((message) =>
    [...message.matchAll(pattern)].map(([, key = "", wish = ""]) => ({ key, wish: JSON.parse(wish) as Wish })),
  )

/** The keys of all prompts in a model's request, oldest first. */
export const keysOf = (request: ModelRequest.ModelRequest): ReadonlyArray<string> => [
  ...new Set(prompts(request).map(({ key }) => key)),
]

/** Whether a model's request holds a prompt. */
export const has =
  ({ key }: { readonly key: string }) =>
  (request: ModelRequest.ModelRequest): boolean =>
    keysOf(request).includes(key)

type Offer = CodexCalls.Offer

/** How the model of an agent runs a command for which that needs approval, makes a file of one line, and calls any tool. */
export const calls = {
  codex: CodexCalls,
  "claude-code": {
    run: (_: Offer, command: string) => ScriptedTurn.toolCall("Bash", { command, description: "May I?" }),
    write: (_: Offer, path: string, line: string) =>
      ScriptedTurn.toolCall("Write", { file_path: path, content: `${line}\n` }),
    call: (_: Offer, name: string, args: ScriptedTurn.ToolCall["arguments"]) => ScriptedTurn.toolCall(name, args),
  },
}

/** A model that does what the last prompt names, with the agent's own tools. */
export const play =
  (agent: AgentName) =>
  (request: ModelRequest.ModelRequest): ScriptedTurn.ScriptedTurn => {
    const last = prompts(request).at(-1)
    if (last === undefined) return ScriptedTurn.text("There is no wish in this prompt.")
    const { key, wish } = last
    const callId = `call_${key}`
    const received = request.toolResults.find((result) => result.callId === callId)
    const { call, run, write } = calls[agent]
    const once = (called: ScriptedTurn.ToolCall) =>
      received === undefined ? { ...called, callId } : ScriptedTurn.text(`Result: ${received.text}`)
    switch (wish._tag) {
      case "Say":
        return ScriptedTurn.text(wish.text, { chunks: wish.chunks ?? 3, pause: wish.pause ?? 0 })
      case "Recall":
        return ScriptedTurn.text(JSON.stringify(keysOf(request)))
      case "Run":
        return once(run(request, wish.command))
      case "Write":
        return once(write(request, wish.path, wish.text))
      case "Use":
        return once(call(request, wish.tool, wish.input))
      case "Hang":
        return ScriptedTurn.hang
      case "Break":
        return wish.how === "dropped"
          ? ScriptedTurn.droppedStream("half an ans")
          : ScriptedTurn.httpError(wish.how, { message: `scripted ${wish.how}` })
    }
  }

/** A prompt that its model answers with this text once it is released. `respond`: that model. */
export const held = Effect.fnUntraced(function* (agent: AgentName, text: string) {
  const gate = yield* Deferred.make<void>()
  const own = prompt({ _tag: "Say", text })
  const respond = (request: ModelRequest.ModelRequest) =>
    Effect.as(has(own)(request) ? Deferred.await(gate) : Effect.void, play(agent)(request))
  return { ...own, respond, release: Deferred.succeed(gate, undefined) }
})
