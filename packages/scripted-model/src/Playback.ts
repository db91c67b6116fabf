/**
 * Plays one turn on one HTTP response.
 */
import type { ServerResponse } from "node:http"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ModelAnswer, ModelApi, ModelEvent, ModelUsage } from "./ModelApi.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { ScriptedTurn, Text } from "./ScriptedTurn.ts"

/**
 * One request that is being answered. `drop` cuts the connection because a turn says so.
 */
export interface Exchange {
  readonly api: ModelApi
  readonly request: ModelRequest
  readonly response: ServerResponse
  readonly usage: ModelUsage
  readonly drop: () => void
}

const keepAliveMillis = 200

/** Sends a JSON document and waits until the system has accepted it. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Effect.Effect<void> =>
  Effect.callback((resume) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify(body), () => resume(Effect.void))
  })

/** Plays a turn to its end. `Hang` has none: it is interrupted when the client disconnects. */
export const play = (turn: ScriptedTurn, exchange: Exchange): Effect.Effect<void> => {
  switch (turn._tag) {
    case "Text":
      return answer(
        exchange,
        {
          text: deltas(turn.text, turn.chunks ?? 3),
          ...phaseOf(turn),
          ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
          complete: true,
        },
        turn,
      )
    case "ToolCall":
      return answer(exchange, {
        text: deltas(turn.text ?? "", 3),
        ...phaseOf(turn),
        toolCalls: [turn],
        complete: true,
      })
    case "ToolCalls": {
      const text = turn.calls.map((call) => call.text ?? "").join("")
      return answer(exchange, { text: deltas(text, 3), toolCalls: turn.calls, complete: true })
    }
    case "HttpError": {
      const message = turn.message ?? `The script answers with status ${turn.status}.`
      const body = exchange.api.error(turn.status, message, turn.type)
      return sendJson(exchange.response, turn.status, body, { ...requestId(exchange), ...turn.headers })
    }
    case "DroppedStream": {
      const text = deltas(turn.text ?? "", 1)
      const { calls: toolCalls } = turn
      const content = toolCalls === undefined ? { complete: false } : { toolCalls, complete: "items" as const }
      return Effect.andThen(answer(exchange, { text, ...content }), Effect.sync(exchange.drop))
    }
    case "Delay":
      return Effect.andThen(
        Effect.sleep(turn.duration),
        Effect.suspend(() => play(turn.then, exchange)),
      )
    case "Hang":
      return Effect.andThen(answer(exchange, { text: [], complete: false }), keepWarm(exchange))
  }
}

const phaseOf = ({ phase }: { readonly phase?: string }) => (phase === undefined ? {} : { phase })

const requestId = ({ api, request }: Exchange) => ({ [api.requestIdHeader]: `req_scripted_${request.index}` })

const frame = (event: ModelEvent) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

type Content = Pick<ModelAnswer, "text" | "complete"> & Partial<Pick<ModelAnswer, "phase" | "reasoning" | "toolCalls">>

const modelAnswer = ({ request, usage }: Exchange, content: Content): ModelAnswer => ({
  index: request.index,
  model: request.model,
  usage,
  toolCalls: [],
  ...content,
})

/** Sends a complete answer and ends the response, or sends the beginning of an answer and keeps the response open. */
const answer = Effect.fnUntraced(function* (
  exchange: Exchange,
  content: Content,
  { headers, pause = 0 }: Pick<Text, "headers" | "pause"> = {},
) {
  const { api, request, response } = exchange
  const answered = modelAnswer(exchange, content)
  const silence = Duration.fromInputUnsafe(pause)
  // Everything is encoded before anything is sent, so that a turn that cannot be encoded gets an error status.
  const pieces = request.stream
    ? Array.from(api.events(answered), (event) => ({ text: frame(event), isDelta: api.isDelta(event) }))
    : [{ text: content.complete === true ? JSON.stringify(api.body(answered)) : "{", isDelta: false }]
  const contentType = request.stream ? "text/event-stream; charset=utf-8" : "application/json"
  const usual = { "content-type": contentType, "cache-control": "no-cache", ...requestId(exchange) }
  response.writeHead(200, { ...usual, ...headers })
  for (const { isDelta, text } of pieces) {
    if (isDelta && Duration.isPositive(silence)) yield* Effect.sleep(silence)
    response.write(text)
  }
  yield* Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    if (content.complete === true) response.end(done)
    else response.write(request.stream ? ": \n\n" : " ", done)
  })
})

// Wall-clock time, as it concerns the socket and not the script: a `TestClock` must not stop it.
const keepWarm = (exchange: Exchange) =>
  Effect.callback<never>(() => {
    const { api, request, response } = exchange
    const beat = request.stream ? frame(api.keepAlive(modelAnswer(exchange, { text: [], complete: false }))) : " "
    const timer = setInterval(() => response.write(beat), keepAliveMillis)
    return Effect.sync(() => clearInterval(timer))
  })

/** Cuts a text into at most `count` pieces of about equal length, never within a surrogate pair. */
const deltas = (text: string, count: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  const length = Math.max(1, Math.ceil(text.length / Math.max(1, Math.trunc(count) || 1)))
  for (let start = 0; start < text.length; ) {
    const end = start + length
    const splitsPair = /^[\uDC00-\uDFFF]/.test(text.charAt(end)) && /[\uD800-\uDBFF]$/.test(text.charAt(end - 1))
    pieces.push(text.slice(start, splitsPair ? end + 1 : end))
    start = splitsPair ? end + 1 : end
  }
  return pieces
}
