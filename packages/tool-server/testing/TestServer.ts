/**
 * A server with tools for tests, which listens until the test ends.
 */

import type * as Messages from "@zain/testkit/Messages"
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import type { HttpLimits, Kind } from "@zain/tool-server/http/HttpLimits"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import type { HttpRoute } from "@zain/tool-server/http/Routes"
import { ProtocolError } from "@zain/tool-server/ProtocolError"
import * as ToolServer from "@zain/tool-server/ToolServer"
import { Clock, Duration, Effect, Redacted, Schedule } from "effect"
import * as TestClock from "effect/testing/TestClock"

/**
 * - `clients`: how many connected clients have made a call; `working`: how many calls are under way
 * - `poured`: how many pieces were sent; `held`: how often a call waited for its client to read
 * - `interrupted`: how many calls were interrupted; `principals`: the principals of the clients, in order
 */
export interface Seen {
  clients: number
  working: number
  poured: number
  held: number
  interrupted: number
  readonly principals: Array<string | undefined>
}

export interface TestServer {
  readonly server: ToolServer.ToolServer
  readonly seen: Seen
}

const tools = ["echo", "halve", "stay", "ask", "flood", "pour", "fail"].map((name) => ({
  name,
  inputSchema: { type: "object" as const },
}))

/**
 * - `echo { text }`: returns the text; `halve { text }`: returns the text without its last UTF-16 code unit
 * - `stay`: runs until it is interrupted
 * - `ask`: sends `before`, elicits from its client, sends `after`, and returns the client's action
 * - `flood { bytes }`: returns a text of that size
 * - `pour { pieces, bytes, asks, unpaced, stays }`: sends so many texts of that size at the pace of its client, or with
 *   `unpaced` immediately; with `asks` it elicits first, with `stays` it then runs until it is interrupted
 * - `fail`: fails with a JSON-RPC error and data
 */
export const make = (given: Given = {}): TestServer => {
  const seen: Seen = { clients: 0, working: 0, poured: 0, held: 0, interrupted: 0, principals: [] }
  const held = Effect.acquireRelease(
    Effect.sync(() => void seen.clients++),
    () => Effect.sync(() => void seen.clients--),
  )
  const text = (given: unknown) => Effect.sync(() => ({ content: [{ type: "text" as const, text: String(given) }] }))
  const teller =
    ({ request }: ToolServer.CallContext) =>
    (progress: number, message: string) =>
      Effect.promise(() =>
        request.notify({ method: "notifications/progress", params: { progressToken: 1, progress, message } }),
      )
  const asked = ({ request }: ToolServer.CallContext) => {
    const params = { message: "May it?", requestedSchema: { type: "object" as const, properties: {} } }
    return Effect.orDie(request.ask({ method: "elicitation/create", params }))
  }
  const ask = Effect.fnUntraced(function* (context: ToolServer.CallContext) {
    const tell = teller(context)
    yield* tell(1, "before")
    const { action } = yield* asked(context)
    yield* tell(2, "after")
    return yield* text(action)
  })
  const pour = Effect.fnUntraced(function* (given: Readonly<Record<string, unknown>>, context: ToolServer.CallContext) {
    const [tell, message] = [teller(context), "x".repeat(Number(given["bytes"]))]
    if (given["asks"] === true) yield* asked(context)
    for (let piece = 0; piece < Number(given["pieces"]); piece++) {
      yield* tell(piece + 1, message)
      seen.poured++
      const caughtUp = given["unpaced"] === true ? undefined : context.room()
      if (caughtUp === undefined) continue
      seen.held++
      yield* Effect.promise(() => caughtUp)
    }
    return given["stays"] === true ? yield* Effect.never : yield* text("done")
  })
  const play = ({ arguments: given = {}, name }: ToolServer.CallParams, context: ToolServer.CallContext) => {
    if (name === "stay") return Effect.never
    if (name === "ask") return ask(context)
    if (name === "pour") return pour(given, context)
    if (name === "flood") return text("x".repeat(Number(given["bytes"])))
    if (name === "echo") return text(given["text"])
    if (name === "halve") return text(String(given["text"]).slice(0, -1))
    return Effect.fail(new ProtocolError({ code: -32_603, message: "It failed.", data: { attempts: 3 } }))
  }
  const worked = (params: ToolServer.CallParams, context: ToolServer.CallContext) =>
    Effect.acquireUseRelease(
      Effect.sync(() => void seen.working++),
      () => play(params, context),
      () => Effect.sync(() => void seen.working--),
    ).pipe(Effect.onInterrupt(() => Effect.sync(() => void seen.interrupted++)))
  const client = (principal: string | undefined): Effect.Effect<ToolServer.ToolClient> =>
    Effect.sync(() => {
      seen.principals.push(principal)
      const attachment = ClientAttachment.make(held)
      return {
        call: (params, context) => attachment.use(() => worked(params, context)),
        isBusy: attachment.isBusy,
        leave: attachment.leave,
      }
    })
  return {
    server: ToolServer.make({ name: "test", title: "Test", version: "0", instructions: "", tools, client, ...given }),
    seen,
  }
}

export type Given = Pick<ToolServer.Options, "batches">

export interface StartOptions extends Given {
  readonly kind?: Kind
  readonly host?: string
  readonly port?: number
  readonly tokens?: ReadonlyArray<string>
  readonly allowedHosts?: ReadonlyArray<string>
  readonly allowedOrigins?: ReadonlyArray<string>
  readonly routes?: ReadonlyArray<HttpRoute>
  readonly limits?: Partial<HttpLimits>
}

/** Listens on a free port, over WebSocket by default. */
export const start = Effect.fnUntraced(function* ({
  kind = "ws",
  host = "127.0.0.1",
  port = 0,
  tokens = [],
  batches = false,
  ...options
}: StartOptions = {}) {
  const made = make({ batches })
  const secrets = tokens.map((token) => ({ value: Redacted.make(token) }))
  const { url } = yield* HttpServe.serve({ server: made.server, kind, host, port, tokens: secrets, ...options })
  return { ...made, url, port: Number(new URL(url).port) }
})

/** The same with a `clock` that the test moves, for behaviour after timeouts. */
export const still = Effect.fnUntraced(function* (options?: StartOptions) {
  const clock = yield* TestClock.make({ warningDelay: "1 hour" })
  return { clock, ...(yield* Effect.provideService(start(options), Clock.Clock, clock)) }
})

export const millis = (given: Readonly<Record<string, number>>): Partial<HttpLimits> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Duration.millis(value)]))

/** Waits until a condition holds, with a timeout. */
export const eventually = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.sync(isSo).pipe(
    Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOrElse({ duration: "4 minutes", orElse: () => Effect.die(new Error(`never so: ${isSo}`)) }),
    Effect.asVoid,
  )

/** Waits for the answer to a request. */
export const answerIn = (heard: ReadonlyArray<Messages.Message>, id: string | number | null) => {
  const found = () => heard.find((message) => message.id === id && message.method === undefined)
  return Effect.map(
    eventually(() => found() !== undefined),
    () => found() as Messages.Message,
  )
}
