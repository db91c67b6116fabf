/**
 * Reads posted messages. Type, size and depth are checked before a body is parsed, and parameters before the SDK receives it.
 *
 * @see docs/internals/promises.md, 27
 */
import type { IncomingMessage } from "node:http"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Batch from "../Batch.ts"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import * as RequestShapes from "../RequestShapes.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { Incoming } from "./IncomingBudget.ts"
import * as Refusal from "./Refusal.ts"

type Bounds = JsonRpcMessage.Bounds & Pick<HttpLimits, "maxBodyBytes">

/**
 * Reads a message. It has no timeout of its own: the end of the connection interrupts it.
 *
 * @param incoming the budget of incomplete bodies
 * @param served the supported methods
 * @param takesBatches whether the session accepts batches; their entries are validated later
 */
export const read = (
  request: IncomingMessage,
  limits: Bounds,
  incoming: Incoming,
  served: ReadonlySet<string>,
  takesBatches: boolean,
) => Effect.flatMap(bytesOf(request, limits, incoming), (bytes) => parse(bytes, limits, served, takesBatches))

/** Reads any JSON, with the same limits. */
export const readJson = (request: IncomingMessage, limits: Bounds, incoming: Incoming) =>
  Effect.flatMap(bytesOf(request, limits, incoming), (bytes) =>
    Effect.fromResult(
      decode(bytes).pipe(
        Result.flatMap((text) => JsonRpcMessage.parseJson(text, limits)),
        Result.mapError(refused),
      ),
    ),
  )

const bytesOf = (request: IncomingMessage, limits: Bounds, incoming: Incoming) =>
  Effect.suspend(() => {
    const unreadable = typeProblem(request)
    if (unreadable !== undefined) return Effect.fail(Refusal.make(415, unreadable))
    if (Number(request.headers["content-length"] ?? 0) > limits.maxBodyBytes) return Effect.fail(tooLarge(limits))
    return collect(request, limits, incoming)
  })

const typeProblem = ({ headers }: IncomingMessage): string | undefined => {
  const [type, ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  if (type !== "application/json") return "The Content-Type of a message must be application/json."
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) return "The charset of a message must be UTF-8."
  if ((headers["content-encoding"] ?? "identity") !== "identity") return "A message must not be compressed."
  return undefined
}

const tooLarge = ({ maxBodyBytes }: Bounds) => Refusal.make(413, `The message exceeds ${maxBodyBytes} bytes.`)

const tooMuch = Refusal.make(503, "This server is receiving too much data at once. Send the message again later.", {
  "Retry-After": "1",
  Connection: "close",
})

const collect = (request: IncomingMessage, limits: Bounds, incoming: Incoming) =>
  Effect.callback<Uint8Array, Refusal.Refusal>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const fail = (refusal: Refusal.Refusal) => {
      stop()
      chunks.length = 0
      resume(Effect.fail(refusal))
    }
    const part = incoming(() => fail(tooMuch))
    const stop = () => {
      part.end()
      request.off("data", more).off("end", end)
    }
    const more = (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.maxBodyBytes) return fail(tooLarge(limits))
      chunks.push(chunk)
      part.more(chunk.length)
    }
    const end = () => {
      stop()
      resume(Effect.sync(() => Buffer.concat(chunks)))
    }
    request.on("data", more).once("end", end)
    return Effect.sync(stop)
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (
  bytes: Uint8Array,
  limits: Bounds,
  served: ReadonlySet<string>,
  takesBatches: boolean,
): Effect.Effect<JSONRPCMessage | JsonRpcMessage.Batch, Refusal.Refusal> =>
  Effect.fromResult(
    decode(bytes).pipe(
      Result.flatMap((text) => JsonRpcMessage.parse(text, limits, takesBatches)),
      Result.flatMap((message) => judge(message, served)),
      Result.mapError(refused),
    ),
  )

const judge = (message: JSONRPCMessage | JsonRpcMessage.Batch, served: ReadonlySet<string>): Judged =>
  Batch.isBatch(message) ? Result.succeed(message) : RequestShapes.judge(message, served)

type Judged = Result.Result<JSONRPCMessage | JsonRpcMessage.Batch, JsonRpcMessage.Problem>

const decode = (bytes: Uint8Array): Result.Result<string, JsonRpcMessage.Problem> =>
  Result.try({ try: () => utf8.decode(bytes), catch: () => JsonRpcMessage.notJson })

const refused = (problem: JsonRpcMessage.Problem): Refusal.Refusal => ({ status: 400, ...problem })
