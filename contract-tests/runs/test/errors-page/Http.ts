/**
 * What goes wrong with a server that is reached over HTTP.
 */
import type { Server, ServerResponse } from "node:http"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Failure from "@zain/sdk-client/Failure"
import * as Effect from "effect/Effect"
import { type Answer, refused, server, unanswered, variable } from "./MyAgent.ts"
import { type Provocation, provoke } from "./Provocation.ts"

const { sse, streamableHttp } = McpConnectionConfig

const opening = (answer: Answer, connect = streamableHttp) =>
  Effect.flatMap(server(answer), (origin) =>
    refused(connect({ url: `${origin}${connect === sse ? "/sse" : "/mcp"}`, bearerToken: "a-secret-token" })),
  )

/** A session that opens, and a call that does not go well. */
const asking = (answer: (response: ServerResponse) => unknown, limits: McpConnectionConfig.McpLimits = {}) =>
  Effect.flatMap(
    server(({ body }, response) => (body.method === "tools/call" ? answer(response) : undefined)),
    (origin) => unanswered(streamableHttp({ url: `${origin}/mcp`, ...limits }), ["Go"]),
  )

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = "") =>
  (response: ServerResponse) =>
    response.writeHead(code, { "content-type": "text/plain", ...headers }).end(body)

const first =
  (...given: Parameters<typeof status>): Answer =>
  (_, response) =>
    status(...given)(response)

const json = { "content-type": "application/json" }
const page = { "content-type": "text/html" }
const stream = { "content-type": "text/event-stream" }

const strange = status(401, json, '{"error":{"message":"The token is not known."}}')

/** Listens no more, and says nothing. */
const gone = (response: ServerResponse) => {
  const { server } = response.socket as unknown as { readonly server: Server }
  server.close()
  return response.destroy()
}

const unknown = status(404, json, '{"error":{"message":"Session not found"}}')

/** Cuts a reply off. */
const cut = (response: ServerResponse, begun = ": working\n\n") => {
  response.writeHead(200, stream).write(begun, () => response.destroy())
  return true
}

/** A call whose stream breaks off, and what the server says when it is to be resumed. */
const resuming = (answer: (response: ServerResponse) => unknown) =>
  Effect.flatMap(
    server(({ body, method }, response) => {
      if (method === "GET") return answer(response)
      return body.method === "tools/call" ? cut(response, "id: 1\nretry: 100\ndata:\n\n") : undefined
    }),
    (origin) => unanswered(streamableHttp({ url: `${origin}/mcp` }), ["Go"]),
  )

const byProxy = (answer: string) =>
  Effect.gen(function* () {
    const proxy = yield* server(() => undefined, answer)
    yield* variable("https_proxy", proxy)
    yield* variable("no_proxy", "")
    return yield* refused(streamableHttp({ url: "https://agents.example/mcp" }))
  })

const overTls = { server: "https://agents.example/mcp", delivery: "not-sent", cause: new Error() } as const

const ca = "no certificate"

/** Of no host, and of no use. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUFT/Wn3YiPM79FzkSF5tj0+tYbEkwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOYWdlbnRzLmV4YW1wbGUwIBcNMjYxMTIyMTMzNTE3WhgPMjEy
NjEwMjkxMzM1MTdaMBkxFzAVBgNVBAMMDmFnZW50cy5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAE9Y492tBnXMNgjOHcYMap3V5nvA1Ypz5mYiqK5Cuj
o28djchSov2jU6zip7+8sM+RDhQHsn+x0gvCy4PDkLT9lqNTMFEwHQYDVR0OBBYE
FMGwtqNOpMjpOxSBMf8NVZrbecMgMB8GA1UdIwQYMBaAFMGwtqNOpMjpOxSBMf8N
VZrbecMgMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgJHuX/sUh
zPTiAx6jq/tVQNsgKjCInJEYZdBljjgvPccCIBPQ82BzsidAd08U9mRIln7aGdsm
iaqVm04vH04qXgQY
-----END CERTIFICATE-----`

export const provocations: ReadonlyArray<Provocation> = [
  provoke("nobody listens", refused(streamableHttp({ url: "http://127.0.0.1:1/mcp" }))),
  ...[
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "CERT_HAS_EXPIRED",
    "CERT_NOT_YET_VALID",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  ].map((code) => provoke(code, Effect.succeed(Failure.unreachable(overTls, code)))),
  provoke(
    "https where http is served",
    Effect.flatMap(
      server(() => undefined),
      (origin) => refused(streamableHttp({ url: `${origin.replace("http:", "https:")}/mcp` })),
    ),
  ),
  provoke(
    "http where https is served",
    opening((_, response) => {
      response.socket?.end("\u0015\u0003\u0003\u0000\u0002\u0002\u0046", "latin1")
      return true
    }),
  ),
  provoke(
    "a server that hangs up",
    opening((_, response) => {
      response.destroy()
      return true
    }),
  ),
  provoke("a server of TLS that hangs up", Effect.succeed(Failure.hungUp(overTls))),
  ...[
    { serverUrl: "stdio:my-agent", transport: "stdio", tls: { ca } } as const,
    streamableHttp({ url: "http://127.0.0.1:1/mcp", tls: { ca } }),
    streamableHttp({ url: "https://agents.example/mcp", tls: { cert: ca } }),
    streamableHttp({ url: "https://agents.example/mcp", tls: { ca } }),
    streamableHttp({ url: "https://agents.example/mcp", tls: { key: "none", cert: certificate } }),
  ].map((config, at) => provoke(`a tls that is none, ${at + 1}`, refused(config))),
  provoke("a proxy that refuses", byProxy("403 Forbidden")),
  provoke("a proxy that wants a password", byProxy("407 Proxy Authentication Required")),
  provoke(
    "a proxy that is none",
    Effect.andThen(
      variable("HTTP_PROXY", "proxy.example:3128"),
      refused(streamableHttp({ url: "http://agents.example/mcp" })),
    ),
  ),
  provoke("another page", opening(first(404, {}, "Not Found"))),
  provoke("a redirect", opening(first(307, { location: "/elsewhere" }))),
  provoke("a page for people", opening(first(200, page, "<html>"))),
  provoke("no answer to the request", opening(first(200, json, "{}"))),
  provoke("a strange session id", opening(first(200, { ...json, "mcp-session-id": "a b" }, "{}"))),
  provoke("a compressed reply", opening(first(200, { ...json, "content-encoding": "gzip" }, "{}"))),
  provoke(
    "no HTTP",
    opening((_, response) => {
      response.socket?.end("220 mail.example ESMTP\r\n")
      return true
    }),
  ),
  provoke("no events", opening(first(200, page, "<html>"), sse)),
  provoke("no endpoint", opening(first(200, stream, ": nothing\n\n"), sse)),
  provoke(
    "an endpoint elsewhere",
    opening(first(200, stream, "event: endpoint\ndata: https://elsewhere.example/message\n\n"), sse),
  ),
  provoke(
    "no token",
    opening((_, response) => strange(response)),
  ),
  provoke("an expired session", asking(unknown)),
  provoke("a session that expires in the middle of a turn", resuming(unknown)),
  provoke("a stream that broke, and credentials that are no longer good", resuming(strange)),
  provoke("a stream that broke, and a server that is busy", resuming(status(429))),
  provoke("a stream that broke, and a server that is gone", resuming(gone)),
  provoke("too many requests", asking(status(429, { "retry-after": "30" }))),
  provoke("too many requests, and no word of when", asking(status(429))),
  provoke("a failing server", asking(status(503, { "retry-after": "5" }, "no worker is free"))),
  provoke("a refused call", asking(status(400, {}, "the body is malformed"))),
  provoke("a redirected call", asking(status(307, { location: "/elsewhere" }))),
  provoke("a call that is answered by a page", asking(status(200, page, "<html>"))),
  provoke(
    "a reply that breaks off",
    asking((response) => cut(response)),
  ),
  provoke(
    "a header that is none",
    refused(streamableHttp({ url: "http://127.0.0.1:1/mcp", headers: { "x key": "1" } })),
  ),
  provoke(
    "a header of the transport's",
    refused(streamableHttp({ url: "http://127.0.0.1:1/mcp", headers: { Host: "agents.example" } })),
  ),
  provoke("a header's value", refused(streamableHttp({ url: "http://127.0.0.1:1/mcp", bearerToken: "a token\n" }))),
]
