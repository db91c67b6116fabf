/** Faults of single responses over Streamable HTTP. */
import { gzipSync } from "node:zlib"
import { type Behaviour, type Behaviours, decoyText, introduction, response } from "./Behaviour.ts"
import { at, eventStream, type HttpHit, json, type Kind, pour, raw, reply } from "./HttpHit.ts"

const good = ({ good }: HttpHit) => JSON.stringify(good)

/** Nothing but headers, or not even those. */
const never = () => {}

const html = "<!doctype html><title>Welcome</title><h1>It works!</h1>"

/** Answers to a request that are none. */
const answers: Readonly<Record<string, (hit: HttpHit) => void>> = {
  html: (hit) => reply(hit, 200, `${html}${hit.script.secret}`, { "content-type": "text/html" }),
  "no-content-type": (hit) => reply(hit, 200, good(hit)),
  "text-plain": (hit) => reply(hit, 200, good(hit), { "content-type": "text/plain" }),
  "202": (hit) => reply(hit, 202),
  "204": (hit) => reply(hit, 204),
  "200-empty": (hit) => reply(hit, 200, "", json),
  "not-json": (hit) => reply(hit, 200, `{"jsonrpc": ${hit.script.secret}`, json),
  "json-null": (hit) => reply(hit, 200, "null", json),
  batch: (hit) => reply(hit, 200, JSON.stringify([hit.good]), json),
  "json-wrong-id": (hit) => reply(hit, 200, JSON.stringify(response("foreign", hit.script.saying(decoyText))), json),
  "truncated-chunk": ({ socket, ...hit }) => {
    raw(
      { socket, ...hit },
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"js',
    )
    socket.end()
  },
  "short-of-content-length": ({ socket, ...hit }) => {
    raw(
      { socket, ...hit },
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"jsonrpc":"2.0"',
    )
    socket.end()
  },
  "reset-before-headers": ({ socket }) => void socket.resetAndDestroy(),
  "closed-before-headers": ({ socket }) => void socket.destroy(),
  "reset-mid-body": ({ response: out, socket }) => {
    out.writeHead(200, { ...json, "content-length": 4096 })
    out.write('{"jsonrpc":"2.0",', () => void socket.resetAndDestroy())
  },
  "no-http": (hit) => {
    raw(hit, `SSH-2.0-OpenSSH_9.9 ${hit.script.secret}\r\n\r\n`)
    hit.socket.end()
  },
  "headers-never": never,
  "headers-endless": (hit) => {
    raw(hit, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
    const more = () => {
      if (!hit.socket.destroyed) hit.socket.write(`x-more: ${"h".repeat(8_000)}\r\n`, () => setImmediate(more))
    }
    more()
  },
  "gzip-bomb": (hit) => reply(hit, 200, bomb(), { ...json, "content-encoding": "gzip" }),
  "gzip-small": (hit) => reply(hit, 200, gzipSync(good(hit)), { ...json, "content-encoding": "gzip" }),
  "endless-json": ({ response: out }) => {
    out.writeHead(200, json)
    out.write('{"jsonrpc":"2.0","result":"')
    pour(out, "x".repeat(64 * 1024))
  },
  "content-length-lies": (hit) =>
    void hit.response.writeHead(200, { ...json, "content-length": 8 * 1024 ** 3 }).write('{"jsonrpc'),
}

/** A gigabyte would be slow to make; 64 MiB are far beyond what is allowed. */
const bomb = () => gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))

/** How long an answer takes that was announced, in milliseconds: longer than anybody reads a refusal. */
const announced = 400

/** Answers that are good, in unusual clothes. */
const odd: Readonly<Record<string, (hit: HttpHit) => void>> = {
  "json-in-single-bytes": (hit) => {
    const bytes = Buffer.from(good(hit))
    hit.response.writeHead(200, { ...json, "content-length": bytes.length })
    const more = (at: number) => {
      if (at === bytes.length) hit.response.end()
      else hit.response.write(bytes.subarray(at, at + 1), () => setImmediate(more, at + 1))
    }
    more(0)
  },
  "content-type-with-charset": (hit) =>
    reply(hit, 200, good(hit), { "content-type": "Application/JSON; charset=UTF-8" }),
  "session-id-changes": (hit) => reply(hit, 200, good(hit), { ...json, "mcp-session-id": "another-session" }),
  "early-hints": (hit) => {
    hit.response.writeEarlyHints({ link: "</elsewhere>; rel=preload" })
    setTimeout(() => reply(hit, 200, good(hit), json), announced)
  },
  processing: (hit) => {
    hit.response.writeProcessing()
    setTimeout(() => reply(hit, 200, good(hit), json), announced)
  },
  "unasked-continue": (hit) => {
    hit.response.writeContinue()
    reply(hit, 200, good(hit), json)
  },
  "connection-close": (hit) => reply(hit, 200, good(hit), { ...json, connection: "close" }),
  "status-201": (hit) => reply(hit, 201, good(hit), json),
}

const trickle = ({ response: out, ...hit }: HttpHit) => {
  const text = good({ response: out, ...hit })
  out.writeHead(200, json)
  let sent = 0
  const timer = setInterval(() => out.write(text.slice(sent % 10, (sent++ % 10) + 1)), 20)
  out.on("close", () => clearInterval(timer))
}

const withSessionId = (id: string) => (hit: HttpHit) => {
  const body = JSON.stringify(response(hit.id, introduction({ protocolVersion: "2025-06-18" })))
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nmcp-session-id: ${id}`
  raw(hit, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`)
}

const sessionIds: Readonly<Record<string, string>> = {
  "control-characters": "abc\u0001\u001b[31mdef",
  "not-ascii": "séance-é",
  "a-space": "two words",
  "2-kib": "x".repeat(2048),
  empty: "",
}

const each = <A>(table: Readonly<Record<string, A>>, prefix: string, make: (entry: A) => Behaviour): Behaviours =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [`${prefix}-${name}`, make(entry)]))

/** A call that is not answered, so that it is cancelled, and what becomes of the cancel. */
const cancelled = (strike: (hit: HttpHit) => void): Behaviour => ({ ...at("cancelled", strike), call: () => {} })

/** Requests that nobody waits for the answer of, and the session's last. */
const asides: ReadonlyArray<Kind> = ["initialized", "cancelled", "delete"]
const silences: Behaviours = Object.fromEntries(
  asides.map((kind) => [`${kind}-headers-never`, kind === "cancelled" ? cancelled(never) : at(kind, never)]),
)

export const httpFaults: Behaviours = {
  ...each(answers, "open", (strike) => at("initialize", strike)),
  ...each(answers, "call", (strike) => at("strike", strike)),
  ...each(odd, "call", (strike) => at("strike", strike)),
  ...each(sessionIds, "session-id", (id) => at("initialize", withSessionId(id))),
  ...silences,
  "call-trickle": at("strike", trickle),
  "initialized-500": at("initialized", (hit) => reply(hit, 500, hit.script.secret)),
  "initialized-404": at("initialized", (hit) => reply(hit, 404, hit.script.secret)),
  "initialized-reset": at("initialized", ({ socket }) => void socket.resetAndDestroy()),
  "initialized-200": at("initialized", (hit) => reply(hit, 200, "{}", json)),
  "cancelled-500": cancelled((hit) => reply(hit, 500, hit.script.secret)),
  "call-500-megabytes": at("strike", (hit) => reply(hit, 500, `${hit.script.secret} ${"é".repeat(4 * 1024 * 1024)}`)),
  "call-500-endless": at("strike", (hit) => {
    hit.response.writeHead(500, { "content-type": "text/plain" })
    pour(hit.response, `${hit.script.secret} `.repeat(100))
  }),
  "delete-405": at("delete", (hit) => reply(hit, 405)),
  "delete-500": at("delete", (hit) => reply(hit, 500, hit.script.secret)),
  "delete-404": at("delete", (hit) => reply(hit, 404)),
  "delete-redirect": at("delete", (hit) => reply(hit, 307, "", { location: hit.elsewhere })),
  "delete-reset": at("delete", ({ socket }) => void socket.resetAndDestroy()),
  "delete-endless-body": at("delete", ({ response: out }) => {
    out.writeHead(200, eventStream)
    pour(out, "x".repeat(1024))
  }),
  refused: {},
}
