/**
 * A loopback proxy in front of an MCP server: it forwards everything, and records the prompts and the
 * sessions.
 */
import { type IncomingHttpHeaders, request } from "node:http"
import { pipeline } from "node:stream"
import { PeerObservation } from "@zain/contract-tests"
import * as FakePeerHost from "@zain/contract-tests/FakePeerHost"
import * as Effect from "effect/Effect"
import * as Prompts from "./Prompts.ts"

const sessionHeader = "mcp-session-id"

/**
 * @param upstream the server's URL
 * @returns `url` to use in its place; `silentUrl`, which never answers
 */
export const make = Effect.fnUntraced(function* (upstream: string) {
  const { origin, pathname } = new URL(upstream)
  const record = PeerObservation.make()
  const read = Prompts.reader(record.saw)
  const sessions = new Map<string, () => void>()

  const note = ({ header, route }: FakePeerHost.Exchange, status: number, answered: IncomingHttpHeaders) => {
    const [method] = route.split(" ")
    const id = method === "DELETE" ? header(sessionHeader) : answered[sessionHeader]
    if (typeof id !== "string") return
    if (method !== "DELETE") sessions.set(id, sessions.get(id) ?? record.holds(`session ${id}`))
    else if (status < 300) {
      sessions.get(id)?.()
      sessions.delete(id)
    }
  }

  const pass = (exchange: FakePeerHost.Exchange) => {
    const { body, headers, response, route, url } = exchange
    if (url.pathname === silentPath) return
    read(body)
    const [method] = route.split(" ")
    const sent = request(`${origin}${url.pathname}${url.search}`, { method, headers, agent: false }, (answer) => {
      const status = answer.statusCode ?? 502
      const { connection: _, "keep-alive": __, ...passedOn } = answer.headers
      note(exchange, status, answer.headers)
      response.writeHead(status, passedOn).flushHeaders()
      pipeline(answer, response, () => {})
    })
    sent.on("error", () => response.destroy())
    response.once("close", () => sent.destroy())
    sent.end(body)
  }

  const host = yield* FakePeerHost.listen(pass)
  const { leftovers, ...observed } = record.observation
  return {
    url: `${host.origin}${pathname}`,
    silentUrl: `${host.origin}${silentPath}`,
    peer: { ...observed, leftovers: Effect.map(Effect.all([leftovers, host.requests]), (found) => found.flat()) },
  }
})

const silentPath = "/silent"
