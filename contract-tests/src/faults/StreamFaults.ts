/** Faults of the stream of server-sent events that answers a call over Streamable HTTP. */
import { answers, dueOn, endsBy, type Fault, fails, type More, unknown } from "./Fault.ts"
import { answerText, type Behaviour, decoyText, type HttpHit, notification, response } from "./peer/Behaviour.ts"
import { event, openStream, pour, reply } from "./peer/HttpHit.ts"

const only = dueOn("streamable-http")
const well = only(answers)
const lost = only(fails(unknown("connection-lost"), "as-after-cancel"))
const tooLarge = only(fails(unknown("message-too-large"), "as-after-cancel"))
const stalled = only(fails(unknown("stalled"), "as-after-cancel"))

const progress = notification("notifications/message", { level: "info", data: "at work" })

const strange = (hit: HttpHit) => {
  const [head = "", tail = ""] = JSON.stringify(hit.good).split(/(?<="2\.0",)/u)
  const decoy = JSON.stringify(response(hit.id, hit.script.saying(decoyText)))
  return [
    "\ufeff: a comment\r\n\r\n",
    "id: 0\r\ndata:\r\n\r\n",
    "data\n\n",
    ": another\r\r",
    `event: ping\ndata: ${decoy}\n\n`,
    "data: not JSON\n\n",
    `data: ${JSON.stringify(progress)}\r\rretry: soon\n\n`,
    `zain: unknown\nevent: message\ndata:${head}\ndata:${tail}\nid: \u0000\n\n`,
  ].join("")
}

const formats: ReadonlyArray<Fault> = [
  well(
    "stream-odd-format",
    "streams comments, carriage returns, empty and foreign events, and an answer in two lines",
    [2, 24],
  ).at("strike", (hit) => openStream(hit).end(strange(hit))),
  well("stream-odd-content-type", "streams with parameters in its content type", [24]).at("strike", (hit) => {
    hit.response.writeHead(200, { "content-type": 'text/event-stream; charset="utf-8"' }).end(event(hit.good))
  }),
  well("stream-late-answer", "streams an event, and the answer a while later", [1]).at("strike", (hit) => {
    const out = openStream(hit)
    out.write(event(progress))
    setTimeout(() => out.end(event(hit.good)), 100)
  }),
  well("stream-stays-open", "streams the answer, and does not end the stream", [9, 13]).at(
    "strike",
    (hit) => void openStream(hit).write(event(hit.good)),
  ),
]

const ends: ReadonlyArray<Fault> = [
  lost("stream-ends", "ends the stream before the answer", [3, 4]).at("strike", (hit) =>
    openStream(hit).end(event(progress)),
  ),
  lost("stream-ends-at-once", "opens a stream and ends it", [3, 4]).at("strike", (hit) => openStream(hit).end()),
  lost("stream-ends-in-an-event", "ends the stream before the event of the answer is complete", [3, 4]).at(
    "strike",
    (hit) => openStream(hit).end(`data: ${JSON.stringify(hit.good)}\n`),
  ),
  lost("stream-reset", "resets the stream before the answer", [3, 4]).at("strike", (hit) => {
    openStream(hit).write(event(progress), () => void hit.socket.resetAndDestroy())
  }),
]

const stalls: ReadonlyArray<Fault> = [
  stalled("stream-silent", "opens a stream and sends nothing", [1], endsBy("idleTimeout", 500)).at("strike", (hit) =>
    openStream(hit).flushHeaders(),
  ),
  stalled("stream-comments-only", "streams comments, and nothing else", [1], endsBy("idleTimeout", 500)).at(
    "strike",
    (hit) => {
      const out = openStream(hit)
      const timer = setInterval(() => out.write(": still here\n\n"), 20)
      out.on("close", () => clearInterval(timer))
    },
  ),
]

const floods: ReadonlyArray<Fault> = [
  tooLarge("stream-endless-event", "streams a line that never ends", [14, 15, 16]).at("strike", (hit) => {
    const out = openStream(hit)
    out.write("data: ")
    pour(out, "x".repeat(64 * 1024))
  }),
  tooLarge("stream-endless-lines", "streams an event of lines that never end", [14, 15, 16]).at("strike", (hit) =>
    pour(openStream(hit), `data: ${"x".repeat(1024)}\n`),
  ),
  tooLarge("stream-endless-short-lines", "streams an event of lines of one letter that never end", [14, 15, 16]).at(
    "strike",
    (hit) => pour(openStream(hit), "data:a\n".repeat(10_000)),
  ),
  only(fails(unknown("deadline-exceeded", "message-too-large"), "as-after-cancel"), endsBy("deadline", 600))(
    "stream-endless-comments",
    "streams comments as fast as they are read",
    [1, 14, 15, 16],
  ).at("strike", (hit) => pour(openStream(hit), `: ${"x".repeat(1024)}\n`)),
]

/** The answer to the call that is resumed. */
const answerDue = ({ remember }: HttpHit) => event(remember["due"], "last")

/** Opens a stream with an event that has an id, and drops it. */
const drop = (hit: HttpHit, id: string, retry: string) => {
  if (hit.kind === "strike") hit.remember["due"] = hit.good
  openStream(hit).end(event(progress, id, retry))
}

/** A call whose stream is dropped, and a handler for its resumptions. */
const resumed = (resume: (hit: HttpHit) => void, strike = (hit: HttpHit) => drop(hit, "one", "100")): Behaviour => ({
  http: (hit) => {
    if (hit.kind === "strike") strike(hit)
    else if (hit.kind === "resume") resume(hit)
    else return false
    return true
  },
})

/** Drops the call's stream, and the first so many resumptions of it. */
const drops = (times: number, retry: string) =>
  resumed(
    (hit) => {
      if (hit.turn < times - 1) drop(hit, `resume-${hit.turn}`, retry)
      else openStream(hit).end(answerDue(hit))
    },
    (hit) => drop(hit, `strike-${hit.turn}`, retry),
  )

/** The server has accepted the prompt, whatever it answers to the resumption. */
const taken = unknown(
  ...["connection-lost", "protocol-violation", "rejected-by-server", "unauthorized"],
  ...["session-expired", "rate-limited", "server-error"],
)

const dropping = (
  [
    ["once", "drops the stream after an event, and continues it on resumption", [3, 17], well, drops(1, "120"), 1],
    [
      "twice",
      "drops the stream and its first resumption, and continues on the second",
      [3, 17],
      well,
      drops(2, "120"),
      2,
    ],
    ["always-dropped", "drops every resumption, with a retry of 0 ms", [3, 17], lost, drops(1_000, "0"), 2],
    ["retry-0", "drops the stream, with a retry of 0 ms", [17], well, drops(1, "0"), 1],
  ] as const
).map(([name, title, promises, expected, peer, resumes]) =>
  expected(`resume-${name}`, title, promises, { resumes }).by("call", peer),
)

const never: More = { ...endsBy("deadline", 500), resumes: 0 }

const resumptions: ReadonlyArray<Fault> = [
  ...dropping,
  only(fails(unknown("deadline-exceeded"), "as-after-cancel"), never)(
    "resume-retry-huge",
    "drops the stream, with a retry of 115 days",
    [1, 17],
  ).by("call", drops(1, "9999999999")),
  ...[204, 307, 400, 401, 404, 405, 429, 500, 503].map((status) =>
    only({ call: [taken], next: status === 404 ? "anything" : "as-after-cancel" })(
      `resume-${status}`,
      `drops the stream, and answers the resumption with ${status}`,
      status === 307 ? [3, 17, 20] : [3, 6, 17],
    ).by(
      "call",
      resumed((hit) => {
        if (status === 404) hit.forget()
        reply(hit, status, hit.script.secret, { location: hit.elsewhere })
      }),
    ),
  ),
  lost("resume-reset", "drops the stream, and resets every resumption", [3, 4, 17]).by(
    "call",
    resumed(({ socket }) => void socket.resetAndDestroy()),
  ),
  only({ call: ["answers", unknown("connection-lost", "protocol-violation")], next: "answers-or-lost" })(
    "resume-id-with-line-breaks",
    "sends an event id that is not valid in a header",
    [7, 22],
  ).by(
    "call",
    resumed(
      (hit) => openStream(hit).end(answerDue(hit)),
      (hit) => {
        hit.remember["due"] = hit.good
        openStream(hit).end(`id: ${answerText}\u0001\nretry: 100\ndata: ${JSON.stringify(progress)}\n\n`)
      },
    ),
  ),
]

/** Every fault of a call's stream. */
export const streamFaults: ReadonlyArray<Fault> = [...formats, ...ends, ...stalls, ...floods, ...resumptions]
