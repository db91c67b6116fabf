/**
 * A server whose tools do what a test says, and a front of it that ends with the test.
 */
import type { ProgressNotificationParams } from "@modelcontextprotocol/sdk/types.js"
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import * as HttpFront from "@zain/tool-server/http/HttpFront"
import type { HttpLimits } from "@zain/tool-server/http/HttpLimits"
import { ProtocolError } from "@zain/tool-server/ProtocolError"
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"

/**
 * - `clients`: how many have called and are there; `working`: how many calls are under way
 * - `poured`: how many pieces were told; `held`: how often one waited until there was room for the next
 * - `interrupted`: how many calls were; `principals`: whose clients came, in order
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

const tools = ["echo", "stay", "flood", "pour", "fail"].map((name) => ({
  name,
  inputSchema: { type: "object" as const },
}))

/**
 * - `echo { text }`: the text
 * - `stay`: works until it is interrupted
 * - `flood { bytes }`: so much text
 * - `pour { pieces, bytes }`: tells so many pieces of so much text, at the pace of its client
 * - `fail`: a refusal of the protocol, with data
 */
export const make = (): TestServer => {
  const seen: Seen = { clients: 0, working: 0, poured: 0, held: 0, interrupted: 0, principals: [] }
  const held = Effect.acquireRelease(
    Effect.sync(() => void seen.clients++),
    () => Effect.sync(() => void seen.clients--),
  )
  const text = (given: unknown) => Effect.sync(() => ({ content: [{ type: "text" as const, text: String(given) }] }))
  const pour = (pieces: number, bytes: number, { extra, room }: ToolServer.CallContext) =>
    Effect.gen(function* () {
      const message = "x".repeat(bytes)
      const tell = (params: ProgressNotificationParams) =>
        extra.sendNotification({ method: "notifications/progress", params })
      for (let piece = 0; piece < pieces; piece++) {
        yield* Effect.promise(() => tell({ progressToken: 1, progress: piece + 1, message }))
        seen.poured++
        const caughtUp = room()
        if (caughtUp === undefined) continue
        seen.held++
        yield* Effect.promise(() => caughtUp)
      }
      return yield* text("done")
    })
  const play = ({ arguments: given = {}, name }: ToolServer.CallParams, context: ToolServer.CallContext) => {
    if (name === "stay") return Effect.never
    if (name === "pour") return pour(Number(given["pieces"]), Number(given["bytes"]), context)
    if (name === "flood") return text("x".repeat(Number(given["bytes"])))
    if (name === "echo") return text(given["text"])
    return Effect.fail(new ProtocolError({ code: -32_603, message: "It failed.", data: { attempts: 3 } }))
  }
  const worked = (params: ToolServer.CallParams, context: ToolServer.CallContext) =>
    Effect.acquireUseRelease(
      Effect.sync(() => void seen.working++),
      () => play(params, context),
      () => Effect.sync(() => void seen.working--),
    ).pipe(Effect.onInterrupt(() => Effect.sync(() => void seen.interrupted++)))
  const client = (principal: string | undefined): ToolServer.ToolClient => {
    seen.principals.push(principal)
    const attachment = ClientAttachment.make(held)
    return {
      call: (params, context) => attachment.use(() => worked(params, context)),
      isBusy: attachment.isBusy,
      leave: attachment.leave,
    }
  }
  return {
    server: ToolServer.make({ name: "test", title: "Test", version: "0", instructions: "", tools, client }),
    seen,
  }
}

export interface FrontOptions {
  readonly kind?: "http" | "sse" | "ws"
  readonly host?: string
  readonly port?: number
  readonly tokens?: ReadonlyArray<string>
  readonly allowedHosts?: ReadonlyArray<string>
  readonly allowedOrigins?: ReadonlyArray<string>
  readonly limits?: Partial<HttpLimits>
}

/** A front that listens on a free port, over WebSocket unless it is told otherwise. */
export const start = ({ kind = "ws", host = "127.0.0.1", port = 0, tokens = [], ...options }: FrontOptions = {}) =>
  Effect.gen(function* () {
    const { seen, server } = make()
    const secrets = tokens.map((token) => ({ value: Redacted.make(token) }))
    const { url } = yield* HttpFront.serve({ server, kind, host, port, tokens: secrets, ...options })
    return { server, seen, url, port: Number(new URL(url).port) }
  })

export const millis = (given: Readonly<Record<string, number>>): Partial<HttpLimits> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Duration.millis(value)]))

/** Waits until something is so. The limit only ends what hangs. */
export const eventually = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.sync(isSo).pipe(
    Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOrElse({ duration: "4 minutes", orElse: () => Effect.die(new Error(`never so: ${isSo}`)) }),
    Effect.asVoid,
  )
