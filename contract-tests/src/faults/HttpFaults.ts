/** Faults of single responses over Streamable HTTP. */
import { gzipSync } from "node:zlib"
import {
  answers,
  dueOn,
  type Expectation,
  endsBy,
  type Fault,
  fails,
  type Limits,
  notSent,
  opensNot,
  unknown,
} from "./Fault.ts"
import { decoyText, type HttpHit, response } from "./peer/Behaviour.ts"
import { json, pour, raw, reply } from "./peer/HttpHit.ts"

const only = dueOn("streamable-http")
const good = ({ good }: HttpHit) => JSON.stringify(good)

/** A response that is no answer, and the expectation for it at a call and at initialize. */
interface NoAnswer {
  readonly name: string
  readonly title: string
  readonly promises: ReadonlyArray<number>
  readonly call: Expectation
  readonly open: Expectation
  readonly strike: (hit: HttpHit) => void
  readonly limits?: Partial<Limits>
}

const noAnswer =
  (promises: ReadonlyArray<number>, reason: string, ...opening: ReadonlyArray<string>) =>
  (name: string, title: string, strike: NoAnswer["strike"], own = promises): NoAnswer => ({
    ...{ name, title, strike, promises: own },
    call: fails(unknown(reason), "as-after-cancel"),
    open: opensNot(...opening),
  })

const violates = noAnswer([6, 24], "protocol-violation", "not-an-mcp-server", "protocol-violation")
const loses = noAnswer([3, 4, 6], "connection-lost", "connection-lost", "unreachable")
const isTooLarge = noAnswer([6, 14, 15, 16], "message-too-large", "message-too-large")

const html = "<!doctype html><title>Welcome</title><h1>It works!</h1>"

/** Sends half of the announced body, and ends the connection. */
const half = (headers: string, body: string) => (hit: HttpHit) => {
  raw(hit, `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`)
  hit.socket.end()
}

/** 64 MiB: far above the limit, and quick to compress. */
const bomb = () => gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
const gzip = { ...json, "content-encoding": "gzip" }

const noAnswers: ReadonlyArray<NoAnswer> = [
  violates(
    "html",
    "answers with an HTML page, the secret in it",
    (hit) => reply(hit, 200, `${html}${hit.script.secret}`, { "content-type": "text/html" }),
    [6, 19, 24],
  ),
  violates("no-content-type", "answers without a content type", (hit) => reply(hit, 200, good(hit))),
  violates("text-plain", "answers with plain text", (hit) =>
    reply(hit, 200, good(hit), { "content-type": "text/plain" }),
  ),
  violates("202", "answers a request with 202", (hit) => reply(hit, 202)),
  violates("204", "answers a request with 204", (hit) => reply(hit, 204)),
  violates("200-empty", "answers with an empty body", (hit) => reply(hit, 200, "", json)),
  violates(
    "not-json",
    "answers with malformed JSON, the secret in it",
    (hit) => reply(hit, 200, `{"jsonrpc": ${hit.script.secret}`, json),
    [6, 19, 24],
  ),
  violates("json-null", "answers with null", (hit) => reply(hit, 200, "null", json)),
  violates("batch", "answers with a batch", (hit) => reply(hit, 200, JSON.stringify([hit.good]), json)),
  violates(
    "json-wrong-id",
    "answers another request",
    (hit) => reply(hit, 200, JSON.stringify(response("foreign", hit.script.saying(decoyText))), json),
    [2, 6],
  ),
  violates(
    "gzip-bomb",
    "answers with a few KiB of gzip that expand to 64 MiB",
    (hit) => reply(hit, 200, bomb(), gzip),
    [6, 14, 15],
  ),
  violates("gzip-small", "answers with gzip that the client did not accept", (hit) =>
    reply(hit, 200, gzipSync(good(hit)), gzip),
  ),
  loses("truncated-chunk", "ends in the middle of a chunk", half("transfer-encoding: chunked", '40\r\n{"js')),
  loses("short-of-content-length", "ends before its announced length", half("content-length: 999", '{"jsonrpc":"2.0"')),
  loses(
    "reset-before-headers",
    "resets the connection before the headers",
    ({ socket }) => void socket.resetAndDestroy(),
  ),
  loses("closed-before-headers", "closes the connection before the headers", ({ socket }) => void socket.destroy()),
  loses("reset-mid-body", "resets the connection in the middle of the body", ({ response: out, socket }) => {
    out.writeHead(200, { ...json, "content-length": 4096 })
    out.write('{"jsonrpc":"2.0",', () => void socket.resetAndDestroy())
  }),
  isTooLarge("endless-json", "answers with JSON that never ends", ({ response: out }) => {
    out.writeHead(200, json)
    out.write('{"jsonrpc":"2.0","result":"')
    pour(out, "x".repeat(64 * 1024))
  }),
  violates(
    "no-http",
    "answers with bytes that are no HTTP, the secret in them",
    (hit) => {
      raw(hit, `SSH-2.0-OpenSSH_9.9 ${hit.script.secret}\r\n\r\n`)
      hit.socket.end()
    },
    [6, 19],
  ),
  violates(
    "headers-endless",
    "answers with headers that never end",
    (hit) => {
      raw(hit, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
      const more = () => {
        if (!hit.socket.destroyed) hit.socket.write(`x-more: ${"h".repeat(8_000)}\r\n`, () => setImmediate(more))
      }
      more()
    },
    [6, 14, 15],
  ),
  {
    ...isTooLarge(
      "content-length-lies",
      "announces 8 GiB",
      ({ response: out }) => void out.writeHead(200, { ...json, "content-length": 8 * 1024 ** 3 }).write('{"jsonrpc'),
    ),
    call: fails(unknown("message-too-large", "deadline-exceeded"), "as-after-cancel"),
    open: opensNot("message-too-large", "connect-timeout"),
    limits: { deadline: 600, connectTimeout: 600 },
  },
]

const answered = noAnswers.flatMap(({ call, limits, name, open, promises, strike, title }): ReadonlyArray<Fault> => {
  const within = (endsBy: "deadline" | "connectTimeout") => (limits === undefined ? {} : { limits, endsBy })
  return [
    only(call, within("deadline"))(`call-${name}`, `${title}, to a call`, [...promises, 3]).at("strike", strike),
    only(open, within("connectTimeout"))(`open-${name}`, `${title}, to initialize`, [...promises, 10]).at(
      "initialize",
      strike,
    ),
  ]
})

/** How long an announced answer takes, in milliseconds: longer than a client reads a refusal. */
const announced = 400

const later = (hit: HttpHit) => void setTimeout(() => reply(hit, 200, good(hit), json), announced)

/** Valid answers in an unusual form. */
const odd = (
  [
    [
      "json-in-single-bytes",
      "answers with JSON, byte by byte",
      (hit: HttpHit) => {
        const bytes = Buffer.from(good(hit))
        hit.response.writeHead(200, { ...json, "content-length": bytes.length })
        const more = (at: number) => {
          if (at === bytes.length) hit.response.end()
          else hit.response.write(bytes.subarray(at, at + 1), () => setImmediate(more, at + 1))
        }
        more(0)
      },
    ],
    [
      "content-type-with-charset",
      "writes its content type in capitals, with a charset",
      (hit: HttpHit) => reply(hit, 200, good(hit), { "content-type": "Application/JSON; charset=UTF-8" }),
    ],
    [
      "early-hints",
      "sends early hints long before its answer",
      (hit: HttpHit) => {
        hit.response.writeEarlyHints({ link: "</elsewhere>; rel=preload" })
        later(hit)
      },
    ],
    [
      "processing",
      "sends 102 Processing long before its answer",
      (hit: HttpHit) => {
        hit.response.writeProcessing()
        later(hit)
      },
    ],
    [
      "connection-close",
      "closes the connection after its answer",
      (hit: HttpHit) => reply(hit, 200, good(hit), { ...json, connection: "close" }),
    ],
  ] as const
).map(([name, title, strike]) => only(answers)(`call-${name}`, title, [24]).at("strike", strike))

/** A client may accept these or fail. */
const borne: ReadonlyArray<Fault> = [
  only({ call: ["answers", unknown("protocol-violation")], next: "answers-or-lost" })(
    "call-status-201",
    "answers with 201",
    [24],
  ).at("strike", (hit) => reply(hit, 201, good(hit), json)),
  // RFC 9110 requires a client to accept it; undici ends the connection.
  only({ call: ["answers", unknown("connection-lost")], next: "answers-or-lost" })(
    "call-unasked-continue",
    "sends 100 Continue for a request without expect",
    [3, 4],
  ).at("strike", (hit) => {
    hit.response.writeContinue()
    reply(hit, 200, good(hit), json)
  }),
]

const overHttp = dueOn("streamable-http", "sse")
const failing = overHttp(fails(unknown("server-error"), "as-after-cancel"))

const pages = (
  [
    [
      "megabytes",
      "megabytes of text",
      (hit: HttpHit) => reply(hit, 500, `${hit.script.secret} ${"é".repeat(4 * 1024 * 1024)}`),
    ],
    [
      "endless",
      "a text that never ends",
      ({ response: out, script }: HttpHit) => {
        out.writeHead(500, { "content-type": "text/plain" })
        pour(out, `${script.secret} `.repeat(100))
      },
    ],
  ] as const
).map(([name, what, strike]) =>
  failing(`call-500-${name}`, `answers a call with 500 and ${what}, the secret in it`, [1, 6, 14, 19]).at(
    "strike",
    strike,
  ),
)

const stalled = only(fails(unknown("stalled"), "as-after-cancel"))

const silent: ReadonlyArray<Fault> = [
  stalled("call-headers-never", "never answers a call, not even with headers", [1, 5], endsBy("idleTimeout", 500)).at(
    "strike",
    () => {},
  ),
  only(opensNot("connect-timeout"), endsBy("connectTimeout", 500))(
    "open-headers-never",
    "never answers initialize, not even with headers",
    [1, 10],
  ).at("initialize", () => {}),
  stalled("call-trickle", "answers a call a byte at a time, without end", [1], endsBy("idleTimeout", 500)).at(
    "strike",
    (hit) => {
      const [out, text] = [hit.response, good(hit)]
      out.writeHead(200, json)
      let sent = 0
      const timer = setInterval(() => out.write(text.slice(sent % 10, (sent++ % 10) + 1)), 20)
      out.on("close", () => clearInterval(timer))
    },
  ),
]

const refused = overHttp({ opening: notSent("unreachable") })("refused", "refuses the connection", [4, 6, 10]).by(
  "handshake",
  {},
)

/** Every fault of a single response. */
export const httpFaults: ReadonlyArray<Fault> = [refused, ...answered, ...odd, ...borne, ...pages, ...silent]
