/**
 * Errors of a server over HTTP.
 */
import { createServer, type Server, type ServerResponse } from "node:http"
import { rootCertificates } from "node:tls"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Failure from "@zain/sdk-client/Failure"
import * as Effect from "effect/Effect"
import { listen } from "../../../../packages/sdk-client/testing/HttpServer.ts"
import { environment } from "../../../../packages/sdk-client/testing/Server.ts"
import { type Answer, type Provocations, refused, server, unanswered } from "./MyAgent.ts"

const { sse, streamableHttp } = McpConnectionConfig

const at = (answer: Answer, leaf = "mcp") =>
  Effect.map(server(answer), (url) => ({ url: new URL(leaf, url).href, bearerToken: "a-secret-token" }))

const opening = (answer: Answer) => refused(Effect.map(at(answer), streamableHttp))

const openingSse = (answer: Answer) => refused(Effect.map(at(answer, "sse"), sse))

/** A session that opens, and a call that fails: requests are answered by their methods. */
const calling = (answers: Readonly<Record<string, Answer>>) => {
  const place = at((response, asked) => answers[asked]?.(response, asked))
  return unanswered(Effect.map(place, streamableHttp), ["Go"])
}

const asking = (answer: Answer) => calling({ "tools/call": answer })

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ""): Answer =>
  (response) =>
    response.writeHead(code, { "content-type": "text/plain", ...headers }).end(body)

const json = { "content-type": "application/json" }
const page = { "content-type": "text/html" }
const stream = { "content-type": "text/event-stream" }

const strange = status(401, json, '{"error":{"message":"The token is not known."}}')
const unknown = status(404, json, '{"error":{"message":"Session not found"}}')

/** Stops listening, and closes the connection without an answer. */
const gone: Answer = (response) => {
  const { server } = response.socket as unknown as { readonly server: Server }
  server.close()
  return response.destroy()
}

/** Breaks a reply off. */
const cut = (response: ServerResponse, begun = ": working\n\n") =>
  response.writeHead(200, stream).write(begun, () => response.destroy())

/** A call whose stream breaks off, and the server's answer to its resumption. */
const resuming = (answer: Answer) =>
  calling({ "tools/call": (response) => cut(response, "id: 1\nretry: 100\ndata:\n\n"), GET: answer })

/** A proxy of the environment with this answer. */
const byProxy = Effect.fnUntraced(function* (answer: string) {
  const proxy = createServer().on("connect", (_, socket) => {
    socket.end(`HTTP/1.1 ${answer}\r\ncontent-length: 0\r\n\r\n`)
  })
  const { port } = yield* listen(proxy)
  yield* environment({ https_proxy: `http://127.0.0.1:${port}`, no_proxy: "" })
  return yield* refused(streamableHttp({ url: "https://agents.example/mcp" }))
})

const overTls = { server: "https://agents.example/mcp", delivery: "not-sent", cause: new Error() } as const

const untrusted = (code: string) => [code, Effect.succeed(Failure.unreachable(overTls, code))] as const

const local = (rest: object) => refused(streamableHttp({ url: "http://127.0.0.1:1/mcp", ...rest }))
const remote = (tls: McpConnectionConfig.McpTls) => refused(streamableHttp({ url: "https://agents.example/mcp", tls }))

const ca = "no certificate"
const [cert = ""] = rootCertificates

export const provocations: Provocations = {
  "a port without a server": local({}),
  ...Object.fromEntries(
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "ERR_TLS_CERT_ALTNAME_INVALID"]
      .concat("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED")
      .map(untrusted),
  ),
  "https to a port that serves http": refused(
    Effect.map(server(), (url) => streamableHttp({ url: url.replace("http:", "https:") })),
  ),
  "http to a port that serves https": opening(({ socket }) =>
    socket?.end("\u0015\u0003\u0003\u0000\u0002\u0002\u0046", "latin1"),
  ),
  "a server that closes the connection": opening((response) => response.destroy()),
  "a TLS server that closes the connection": Effect.succeed(Failure.hungUp(overTls)),
  "`tls` of a stdio connection": refused({ serverUrl: "stdio:my-agent", transport: "stdio", tls: { ca } }),
  "`tls` without https": local({ tls: { ca } }),
  "a certificate without a key": remote({ cert: ca }),
  "a malformed authority": remote({ ca }),
  "a malformed key": remote({ key: "none", cert }),
  "a proxy that refuses": byProxy("403 Forbidden"),
  "a proxy that requires a password": byProxy("407 Proxy Authentication Required"),
  "a proxy that is no URL": Effect.andThen(
    environment({ HTTP_PROXY: "proxy.example:3128" }),
    refused(streamableHttp({ url: "http://agents.example/mcp" })),
  ),
  "a page that is not found": opening(status(404, {}, "Not Found")),
  "a redirect": opening(status(307, { location: "/elsewhere" })),
  "an HTML page": opening(status(200, page, "<html>")),
  "a body that is no answer": opening(status(200, json, "{}")),
  "a malformed session id": opening(status(200, { ...json, "mcp-session-id": "a b" }, "{}")),
  "a compressed reply": opening(status(200, { ...json, "content-encoding": "gzip" }, "{}")),
  "a server that is no HTTP server": opening(({ socket }) => socket?.end("220 mail.example ESMTP\r\n")),
  "an SSE endpoint without events": openingSse(status(200, page, "<html>")),
  "a stream without an endpoint": openingSse(status(200, stream, ": nothing\n\n")),
  "an endpoint of another origin": openingSse(
    status(200, stream, "event: endpoint\ndata: https://elsewhere.example/message\n\n"),
  ),
  "a rejected token": opening(strange),
  "an expired session": asking(unknown),
  "a session that expires in a turn": resuming(unknown),
  "a broken stream whose resumption is unauthorized": resuming(strange),
  "a broken stream whose resumption is rate-limited": resuming(status(429)),
  "a broken stream whose server is gone": resuming(gone),
  "HTTP 429 with retry-after": asking(status(429, { "retry-after": "30" })),
  "HTTP 429 without retry-after": asking(status(429)),
  "a failing server": asking(status(503, { "retry-after": "5" }, "no worker is free")),
  "a refused call": asking(status(400, {}, "the body is malformed")),
  "a redirected call": asking(status(307, { location: "/elsewhere" })),
  "a call that is answered with a page": asking(status(200, page, "<html>")),
  "a reply that breaks off": asking((response) => cut(response)),
  "a malformed header name": local({ headers: { "x key": "1" } }),
  "a header of the transport": local({ headers: { Host: "agents.example" } }),
  "a malformed header value": local({ bearerToken: "a token\r\nx-b: 1" }),
}
