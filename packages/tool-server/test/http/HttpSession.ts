/**
 * A client with a session over Streamable HTTP, which gives tests every response.
 */

import * as Messages from "@zain/testkit/Messages"
import * as RawHttp from "@zain/testkit/RawHttp"
import * as Effect from "effect/Effect"

/** The messages of a response, as JSON or as a stream of events. */
export const messages = (text: string): ReadonlyArray<Messages.Message> =>
  text.split("\n").flatMap((line) => {
    const data = line.replace(/^data: /, "")
    return data.startsWith("{") ? [JSON.parse(data)] : []
  })

/** The ids of the events of a stream, in order. */
export const eventIds = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith("id: ") ? [line.slice(4)] : []))

export const answerOf = (text: string): Messages.Message | undefined =>
  messages(text).find(({ method }) => method === undefined)

/** The text of the answer in a response. */
export const textOf = ({ text }: Pick<RawHttp.Reply, "text">): string | undefined => Messages.textOf(answerOf(text))

/** A call that is answered with a text immediately. */
export const echo = (text: string, id: string | number = 1): string => Messages.call(id, "echo", { text })

/**
 * - `post`: posts a message and returns the complete response; `begin`: returns as soon as the response begins
 * - `listen`: opens the server's own stream, or resumes the stream of an event
 */
export interface HttpSession {
  readonly id: string
  readonly raw: RawHttp.RawHttp
  readonly headers: Readonly<Record<string, string>>
  readonly post: (body: string | Buffer, more?: Readonly<Record<string, string>>) => Effect.Effect<RawHttp.Reply>
  readonly begin: (body: string) => Effect.Effect<RawHttp.Stream>
  readonly listen: (lastEventId?: string) => Effect.Effect<RawHttp.Stream>
  readonly end: Effect.Effect<RawHttp.Reply>
}

export const open = Effect.fnUntraced(function* (url: string, token?: string) {
  const raw = yield* RawHttp.make(url)
  const own = { ...RawHttp.json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const reply = yield* raw.send({ headers: own, body: Messages.initialize })
  const id = String(reply.headers["mcp-session-id"])
  const headers = { ...own, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }
  yield* raw.send({ headers, body: Messages.initialized })
  const session: HttpSession = {
    id,
    raw,
    headers,
    post: (body, more = {}) => raw.send({ headers: { ...headers, ...more }, body }),
    begin: (body) => raw.open({ headers, body }),
    listen: (last) => raw.open({ headers: { ...headers, ...(last === undefined ? {} : { "last-event-id": last }) } }),
    end: raw.send({ method: "DELETE", headers }),
  }
  return session
})
