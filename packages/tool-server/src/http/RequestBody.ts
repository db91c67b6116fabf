/**
 * One message as a client posts it: its type, its size and its shape are checked before it is parsed.
 *
 * @see promise 27
 */
import type { IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import type { HttpLimits } from "./HttpLimits.ts"
import * as JsonBounds from "./JsonBounds.ts"
import * as Refusal from "./Refusal.ts"

/** A JSON object. Whether it is a message is for the protocol to say. */
export type Message = Readonly<Record<string, unknown>>

type Bounds = Pick<HttpLimits, "maxBodyBytes" | "maxDepth" | "maxElements">

/** Reads the body of a request. Waits for ever for a client that has gone; its connection's end interrupts it. */
export const read = (request: IncomingMessage, limits: Bounds): Effect.Effect<Message, Refusal.Refusal> =>
  Effect.suspend(() => {
    const unreadable = typeProblem(request)
    if (unreadable !== undefined) return Effect.fail(Refusal.make(415, unreadable))
    if (Number(request.headers["content-length"] ?? 0) > limits.maxBodyBytes) return Effect.fail(tooLarge(limits))
    return Effect.flatMap(collect(request, limits), (text) => parse(text, limits))
  })

const typeProblem = ({ headers }: IncomingMessage): string | undefined => {
  const [type, ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  if (type !== "application/json") return "A message is sent with Content-Type: application/json."
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) return "A message is sent in UTF-8."
  if ((headers["content-encoding"] ?? "identity") !== "identity") return "A message is sent without compression."
  return undefined
}

const tooLarge = ({ maxBodyBytes }: Bounds) =>
  Refusal.make(413, `A message may have ${maxBodyBytes} bytes, and this one has more.`)

const collect = (request: IncomingMessage, limits: Bounds) =>
  Effect.callback<Uint8Array, Refusal.Refusal>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => {
      request.off("data", more).off("end", end)
    }
    const more = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limits.maxBodyBytes) return void chunks.push(chunk)
      stop()
      resume(Effect.fail(tooLarge(limits)))
    }
    const end = () => {
      stop()
      resume(Effect.sync(() => Buffer.concat(chunks)))
    }
    request.on("data", more).once("end", end)
    return Effect.sync(stop)
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })
const notJson: Refusal.Refusal = { status: 400, code: -32_700, message: "The body is no JSON." }
const noBatch = Refusal.invalid("Batches are not taken. Send each message in a request of its own.")

const parse = (text: Uint8Array, limits: Bounds) =>
  Effect.suspend((): Effect.Effect<Message, Refusal.Refusal> => {
    const excess = JsonBounds.check(text, limits.maxDepth, limits.maxElements)
    if (excess === "depth") {
      return Effect.fail(Refusal.invalid(`A message may be ${limits.maxDepth} levels deep, and this one is deeper.`))
    }
    if (excess === "elements") {
      return Effect.fail(Refusal.invalid(`A message may hold ${limits.maxElements} values, and this one holds more.`))
    }
    try {
      const value: unknown = JSON.parse(utf8.decode(text))
      if (Array.isArray(value)) return Effect.fail(noBatch)
      if (typeof value !== "object" || value === null) return Effect.fail(Refusal.invalid("A message is an object."))
      return Effect.succeed(value as Message)
    } catch {
      return Effect.fail(notJson)
    }
  })
