/**
 * What the model does when it is asked once. Plain data: a script is an array of these.
 */
import type * as Duration from "effect/Duration"

/**
 * One turn of the model.
 *
 * - `Text`: the answer, streamed in `chunks` deltas (3 by default), with `pause` before each. An empty text is an answer
 *   without content.
 * - `ToolCall`: asks the agent to run a tool, after saying `text` if there is one
 * - `ToolCalls`: asks for several at once, after saying the texts of all
 * - `HttpError`: an error response in the API's own shape
 * - `DroppedStream`: the beginning of an answer, or all of it but its end, then the connection is cut
 * - `Delay`: sends nothing for `duration`, then plays `then`
 * - `Hang`: begins an answer and never goes on, but keeps the connection warm until the client leaves
 */
export type ScriptedTurn = Text | ToolCall | ToolCalls | HttpError | DroppedStream | Delay | Hang

export interface Text {
  readonly _tag: "Text"
  readonly text: string
  readonly chunks?: number
  readonly pause?: Duration.Input
  readonly phase?: string
}

export interface ToolCall {
  readonly _tag: "ToolCall"
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>> | string
  readonly text?: string
  readonly phase?: string
  readonly callId?: string
}

export interface ToolCalls {
  readonly _tag: "ToolCalls"
  readonly calls: ReadonlyArray<ToolCall>
}

export interface HttpError {
  readonly _tag: "HttpError"
  readonly status: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
}

export interface DroppedStream {
  readonly _tag: "DroppedStream"
  readonly text?: string
  readonly calls?: ReadonlyArray<ToolCall>
}

export interface Delay {
  readonly _tag: "Delay"
  readonly duration: Duration.Input
  readonly then: ScriptedTurn
}

export interface Hang {
  readonly _tag: "Hang"
}

/**
 * The model answers with a text.
 *
 * @param options.chunks how many deltas the text is streamed in, 3 by default
 * @param options.pause silence before each delta, on Effect's `Clock`; a bare number is milliseconds
 * @param options.phase what the text is for, such as `commentary`; only the OpenAI API says it
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.text("Hello", { chunks: 1 })
 * ```
 */
export const text = (text: string, options?: Pick<Text, "chunks" | "pause" | "phase">): Text => ({
  _tag: "Text",
  text,
  ...options,
})

/**
 * The model asks for a tool to be run.
 *
 * @param name the tool as the agent calls it, such as `exec_command` (Codex) or `Bash` (Claude Code); one of a namespace as
 *   `tools` of a request has it, such as `mcp__files.read`
 * @param args a string for a tool that takes plain text, such as Codex's `apply_patch`; only the OpenAI API has these
 * @param options.text what the model says before the call, and `options.phase` what that is for
 * @param options.callId the id that the tool's result will carry; made from the request's index by default
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
 * The model asks for several tools in one answer.
 *
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
 * The endpoint answers with an error, in the shape of the API that was asked.
 *
 * @param status the HTTP status, such as 401, 429 or 529
 * @param options.type the error's type in the body; the one that fits `status` by default
 * @param options.headers added to the response, such as `retry-after` (in seconds)
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
 * The connection is cut after the beginning of an answer.
 *
 * @param text what is sent before the cut; nothing but the stream's head by default
 * @param options.calls sent after the text, which is then whole: nothing but the end of the answer is missing. None are enough
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
 * The model is silent for a while, then plays another turn. It waits on Effect's `Clock`, so `TestClock` moves it.
 *
 * @param duration how long; a bare number is milliseconds
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.delay("2 seconds", ScriptedTurn.text("At last."))
 * ```
 */
export const delay = (duration: Duration.Input, then: ScriptedTurn): Delay => ({ _tag: "Delay", duration, then })

/**
 * The model begins an answer and never goes on. It is the turn to cancel: the connection is kept warm, so an agent that
 * looks at it only when something arrives still notices that it was cancelled.
 *
 * @example
 * ```ts
 * import { ScriptedTurn } from "@zain/scripted-model"
 *
 * const turn = ScriptedTurn.hang
 * ```
 */
export const hang: Hang = { _tag: "Hang" }
