/**
 * What the model does with one request. Turns are plain data: a script is an array of them.
 */
import type * as Duration from "effect/Duration"

/** The model's answer to one request. Make it with the export of the same name in camelCase, such as `toolCall`. */
export type ScriptedTurn = Text | ToolCall | ToolCalls | HttpError | DroppedStream | Delay | Hang

/** The answer is a text without tool calls, streamed in pieces. */
export interface Text {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "Text"
  /** The whole answer; an empty text is an answer without content. */
  readonly text: string
  /** How many deltas the text is streamed in at most; 3 by default. */
  readonly chunks?: number
  /** How long to wait before each delta; 0 by default. A number is in milliseconds. */
  readonly pause?: Duration.Input
  /** The purpose of the text, such as `commentary`. Only the OpenAI API has this field. */
  readonly phase?: string
  /** What the model thinks before it answers: a summary in the OpenAI API, a thinking block in Anthropic's; none by default. */
  readonly reasoning?: string
  /** Headers to add, such as those of rate limits. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer is a call of one tool, which the agent is to make. */
export interface ToolCall {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "ToolCall"
  /** The tool as the agent names it, such as `exec_command` or `Bash`. */
  readonly name: string
  /** The tool's input; a string for a tool that takes plain text, in the OpenAI API only. */
  readonly arguments: Readonly<Record<string, unknown>> | string
  /** The answer's text before the call; none by default. */
  readonly text?: string
  /** The purpose of `text`, such as `commentary`. Only the OpenAI API has this field. */
  readonly phase?: string
  /** Pairs the call with its entry in `ModelRequest.toolResults`; derived from the request's index by default. */
  readonly callId?: string
}

/** The answer is several calls of tools, which the agent is to make. */
export interface ToolCalls {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "ToolCalls"
  /** The calls in order. The texts of all calls are joined, and sent before the first one. */
  readonly calls: ReadonlyArray<ToolCall>
}

/** The answer is an HTTP error, with a body in the shape of the API that the agent calls. */
export interface HttpError {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "HttpError"
  /** The HTTP status, such as 401, 429 or 529. */
  readonly status: number
  /** The error's text in the body; by default a sentence with the status. */
  readonly message?: string
  /** Headers to add, such as `retry-after` in seconds. */
  readonly headers?: Readonly<Record<string, string>>
  /** The error's type in the body; by default the one that fits `status`. */
  readonly type?: string
}

/** The connection ends before the answer is complete. */
export interface DroppedStream {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "DroppedStream"
  /** The text that is sent before the cut; by default the connection ends before any text. */
  readonly text?: string
  /** Tool calls after the text. If set, even to none, only the events that end the answer are missing. */
  readonly calls?: ReadonlyArray<ToolCall>
}

/** Nothing is sent for a while, then another turn is played. */
export interface Delay {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "Delay"
  /** How long nothing is sent, on Effect's `Clock`. A number is in milliseconds. */
  readonly duration: Duration.Input
  /** The turn to play afterwards; another `Delay` adds its time. */
  readonly then: ScriptedTurn
}

/** Begins an answer and never completes it, while the connection stays alive. */
export interface Hang {
  /** The kind of the turn, set by the export that makes it. */
  readonly _tag: "Hang"
}

/**
 * Makes a turn that answers with a text, streamed in pieces, and without tool calls.
 *
 * @param text the whole answer; an empty text is an answer without content
 * @param options how the text is streamed, by default in at most 3 pieces without pauses, and its purpose (`phase`)
 * @param options.chunks how many deltas the text is streamed in at most; 3 by default
 * @param options.pause how long to wait before each delta, on Effect's `Clock`. A number is in milliseconds
 * @param options.phase the purpose of the text, such as `commentary`. Only the OpenAI API has this field
 * @param options.reasoning what the model thinks before it answers; nothing by default
 * @param options.headers headers of the answer, such as those of rate limits
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.text("Hello", { chunks: 1 })
 * ```
 */
export const text = (text: string, options?: Omit<Text, "_tag" | "text">): Text => ({
  _tag: "Text",
  text,
  ...options,
})

/**
 * Makes a turn in which the model asks the agent to call one tool.
 *
 * @param name the tool as the agent names it, such as `exec_command` (Codex) or `Bash` (Claude Code). A tool of a
 *   namespace has the name in `ModelRequest.tools`, such as `mcp__files.read`
 * @param args the tool's input; a string for a tool that takes plain text, such as Codex's `apply_patch`, in the OpenAI
 *   API only
 * @param options the text before the call with its purpose (`phase`), and the id of the call
 * @param options.text the answer's text before the call
 * @param options.phase the purpose of that text, such as `commentary`. Only the OpenAI API has this field
 * @param options.callId the `callId` of the tool's result; derived from the request's index by default
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turns = [ScriptedTurn.toolCall("exec_command", { cmd: "ls" }), ScriptedTurn.text("Two files.")]
 * ```
 */
export const toolCall = (
  name: string,
  args: Readonly<Record<string, unknown>> | string,
  options?: Pick<ToolCall, "callId" | "phase" | "text">,
): ToolCall => ({ _tag: "ToolCall", name, arguments: args, ...options })

/**
 * Makes a turn that requests several tool calls in one answer.
 *
 * @param calls the calls in order, each made by `toolCall`. The texts of all calls are joined, and sent before the
 *   first one
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const look = (path: string) => ScriptedTurn.toolCall("Read", { file_path: path })
 * const turns = [ScriptedTurn.toolCalls([look("/a"), look("/b")]), ScriptedTurn.text("They differ.")]
 * ```
 */
export const toolCalls = (calls: ReadonlyArray<ToolCall>): ToolCalls => ({ _tag: "ToolCalls", calls })

/**
 * Makes a turn that answers with an HTTP error in the shape of the agent's API.
 *
 * @param status the HTTP status, such as 401, 429 or 529
 * @param options the error's body and headers; by default the body fits the status
 * @param options.message the error's text in the body; by default a sentence with the status
 * @param options.type the error's type in the body; by default the one that fits `status`
 * @param options.headers headers to add, such as `retry-after` in seconds
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.httpError(429, { message: "Slow down.", headers: { "retry-after": "1" } })
 * ```
 */
export const httpError = (
  status: number,
  options?: {
    readonly message?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly type?: string
  },
): HttpError => ({ _tag: "HttpError", status, ...options })

/**
 * Makes a turn that cuts the connection before the answer's end.
 *
 * @param text the text that is sent before the cut; by default the connection ends before any text
 * @param options what else is sent before the cut: with `calls`, all texts and calls of the answer, but not the events
 *   that end it
 * @param options.calls tool calls after the text. If set, even to none, only the events that end the answer are missing
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.droppedStream("The answer is")
 * ```
 */
export const droppedStream = (text?: string, options?: Pick<DroppedStream, "calls">): DroppedStream => ({
  _tag: "DroppedStream",
  ...(text === undefined ? {} : { text }),
  ...options,
})

/**
 * Makes a turn that sends nothing for a while, then plays another turn. It waits on Effect's `Clock`, so `TestClock`
 * controls it.
 *
 * @param duration how long to wait. A number is in milliseconds
 * @param then the turn to play afterwards; another `Delay` adds its time
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.delay("2 seconds", ScriptedTurn.text("At last."))
 * ```
 */
export const delay = (duration: Duration.Input, then: ScriptedTurn): Delay => ({ _tag: "Delay", duration, then })

/**
 * The turn that begins an answer and never completes it: use it to test cancellation. Meanwhile the model sends
 * keep-alive events, because some agents notice a cancelled turn only when an event arrives.
 *
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const options = { turns: [ScriptedTurn.hang], whenScriptEnds: ScriptedTurn.text("Continued.") }
 * ```
 */
export const hang: Hang = { _tag: "Hang" }
