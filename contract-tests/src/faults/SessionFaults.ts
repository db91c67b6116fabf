/** Faults around the calls over Streamable HTTP: of the session's id, and of the requests that carry no call. */
import { answers, dueOn, endsBy, type Fault, fails, opensNot, unknown } from "./Fault.ts"
import { type Behaviour, type HttpHit, introduction, response } from "./peer/Behaviour.ts"
import { at, eventStream, json, pour, raw, reply } from "./peer/HttpHit.ts"

const only = dueOn("streamable-http")
const well = only(answers)

/** Never answers. */
const never = () => {}

const giveSessionId = (hit: HttpHit, id: string) => {
  const body = JSON.stringify(response(hit.id, introduction({ protocolVersion: "2025-06-18" })))
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nmcp-session-id: ${id}`
  raw(hit, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`)
}

/** Continues with a client that accepts the id. */
const withSessionId = (id: string): Behaviour => ({
  http: (hit) => {
    if (hit.kind === "initialize") giveSessionId(hit, id)
    else if (hit.kind === "initialized") reply(hit, 202)
    else return false
    return true
  },
})

const sessions: ReadonlyArray<Fault> = [
  ...(
    [
      ["control-characters", "with control characters", "abc\u0001\u001b[31mdef"],
      ["not-ascii", "that is not ASCII", "séance-é"],
      ["a-space", "with a space", "two words"],
      ["2-kib", "of 2 KiB", "x".repeat(2048)],
      ["empty", "of no characters", ""],
    ] as const
  ).map(([name, what, id]) =>
    only(opensNot("not-an-mcp-server", "protocol-violation"))(
      `session-id-${name}`,
      `gives a session id ${what}`,
      [10, 22],
    ).by("handshake", withSessionId(id)),
  ),
  well("call-session-id-changes", "gives another session id in the middle of the session", [21, 22]).at(
    "strike",
    (hit) => reply(hit, 200, JSON.stringify(hit.good), { ...json, "mcp-session-id": "another-session" }),
  ),
]

const initialized = "notifications/initialized"

const asides: ReadonlyArray<Fault> = [
  only(opensNot("server-error"))("initialized-500", `answers ${initialized} with 500`, [6, 10, 19]).at(
    "initialized",
    (hit) => reply(hit, 500, hit.script.secret),
  ),
  only(opensNot("not-an-mcp-server", "session-expired"), { keepsSession: true })(
    "initialized-404",
    `answers ${initialized} with 404`,
    [6, 10, 19],
  ).at("initialized", (hit) => reply(hit, 404, hit.script.secret)),
  only(opensNot("connection-lost", "unreachable"))(
    "initialized-reset",
    `resets the connection of ${initialized}`,
    [4, 10],
  ).at("initialized", ({ socket }) => void socket.resetAndDestroy()),
  well("initialized-200", `answers ${initialized} with a body`, [24]).at("initialized", (hit) =>
    reply(hit, 200, "{}", json),
  ),
  only(opensNot("connect-timeout"), endsBy("connectTimeout", 500))(
    "initialized-headers-never",
    `never answers ${initialized}`,
    [1, 10],
  ).at("initialized", never),
]

/** A call that is never answered, and a handler for its cancel. */
const cancelled = (strike: (hit: HttpHit) => void): Behaviour => ({ ...at("cancelled", strike), call: never })
const tooLate = only(fails(unknown("deadline-exceeded"), "as-after-cancel"))
const deadline = endsBy("deadline", 400)

/** The call ends, whatever the server answers to its cancel. */
const cancels: ReadonlyArray<Fault> = [
  tooLate("cancelled-500", "answers the cancel of a call with 500", [5, 7], deadline).by(
    "call",
    cancelled((hit) => reply(hit, 500, hit.script.secret)),
  ),
  tooLate("cancelled-headers-never", "answers neither a call nor its cancel", [1, 5, 9], deadline).by(
    "call",
    cancelled(never),
  ),
]

/** The session ends, whatever the server answers to DELETE. */
const deletes: ReadonlyArray<Fault> = [
  ...(
    [
      ["405", "405, as a server without DELETE does", (hit: HttpHit) => reply(hit, 405)],
      ["500", "500", (hit: HttpHit) => reply(hit, 500, hit.script.secret)],
      ["404", "404", (hit: HttpHit) => reply(hit, 404)],
      ["redirect", "a redirect to another origin", (hit: HttpHit) => reply(hit, 307, "", { location: hit.elsewhere })],
      ["reset", "a reset", ({ socket }: HttpHit) => void socket.resetAndDestroy()],
      [
        "endless-body",
        "a body that never ends",
        ({ response: out }: HttpHit) => {
          out.writeHead(200, eventStream)
          pour(out, "x".repeat(1024))
        },
      ],
    ] as const
  ).map(([name, what, strike]) =>
    well(`delete-${name}`, `answers DELETE with ${what}`, name === "redirect" ? [9, 13, 20] : [9, 13]).at(
      "delete",
      strike,
    ),
  ),
  well("delete-headers-never", "never answers DELETE", [9, 13]).at("delete", never),
]

/** Every fault of the session id, of `notifications/initialized`, of cancels and of DELETE. */
export const sessionFaults: ReadonlyArray<Fault> = [...sessions, ...asides, ...cancels, ...deletes]
