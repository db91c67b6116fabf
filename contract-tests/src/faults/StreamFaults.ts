/** Faults of the stream of server-sent events that answers a call over Streamable HTTP. */
import { answers, type Expectation, endsBy, type Fault, fails, fault, type More, on, unknown } from "./Fault.ts"
import { answerText, type Behaviour, decoyText, type HttpHit, notification, response } from "./peer/Behaviour.ts"
import { event, openStream, pour, reply } from "./peer/HttpHit.ts"

const only = (expectation: Expectation) => on(expectation, "streamable-http")
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
  fault(
    "stream-odd-format",
    "streams comments, carriage returns, empty and foreign events, and an answer in two lines",
    [2, 24],
    well,
  ).at("strike", (hit) => openStream(hit).end(strange(hit))),
  fault("stream-odd-content-type", "streams with parameters in its content type", [24], well).at("strike", (hit) => {
    hit.response.writeHead(200, { "content-type": 'text/event-stream; charset="utf-8"' }).end(event(hit.good))
  }),
  fault("stream-late-answer", "streams an event, and the answer a while later", [1], well).at("strike", (hit) => {
    const out = openStream(hit)
    out.write(event(progress))
    setTimeout(() => out.end(event(hit.good)), 100)
  }),
  fault("stream-stays-open", "streams the answer, and does not end the stream", [9, 13], well).at(
    "strike",
    (hit) => void openStream(hit).write(event(hit.good)),
  ),
]

const ends: ReadonlyArray<Fault> = [
  fault("stream-ends", "ends the stream before the answer", [3, 4], lost).at("strike", (hit) =>
    openStream(hit).end(event(progress)),
  ),
  fault("stream-ends-at-once", "opens a stream and ends it", [3, 4], lost).at("strike", (hit) => openStream(hit).end()),
  fault("stream-ends-in-an-event", "ends the stream before the event of the answer is complete", [3, 4], lost).at(
    "strike",
    (hit) => openStream(hit).end(`data: ${JSON.stringify(hit.good)}\n`),
  ),
  fault("stream-reset", "resets the stream before the answer", [3, 4], lost).at("strike", (hit) => {
    openStream(hit).write(event(progress), () => void hit.socket.resetAndDestroy())
  }),
]

const stalls: ReadonlyArray<Fault> = [
  fault("stream-silent", "opens a stream and says nothing", [1], stalled, endsBy("idleTimeout", 500)).at(
    "strike",
    (hit) => openStream(hit).flushHeaders(),
  ),
  fault("stream-comments-only", "streams comments, and nothing else", [1], stalled, endsBy("idleTimeout", 500)).at(
    "strike",
    (hit) => {
      const out = openStream(hit)
      const timer = setInterval(() => out.write(": still here\n\n"), 20)
      out.on("close", () => clearInterval(timer))
    },
  ),
]

const floods: ReadonlyArray<Fault> = [
  fault("stream-endless-event", "streams a line that never ends", [14, 15, 16], tooLarge).at("strike", (hit) => {
    const out = openStream(hit)
    out.write("data: ")
    pour(out, "x".repeat(64 * 1024))
  }),
  fault("stream-endless-lines", "streams an event of lines that never end", [14, 15, 16], tooLarge).at(
    "strike",
    (hit) => pour(openStream(hit), `data: ${"x".repeat(1024)}\n`),
  ),
  fault(
    "stream-endless-short-lines",
    "streams an event of lines of one letter that never end",
    [14, 15, 16],
    tooLarge,
  ).at("strike", (hit) => pour(openStream(hit), "data:a\n".repeat(10_000))),
  fault(
    "stream-endless-comments",
    "streams comments as fast as they are read",
    [1, 14, 15, 16],
    only(fails(unknown("deadline-exceeded", "message-too-large"), "as-after-cancel")),
    endsBy("deadline", 600),
  ).at("strike", (hit) => pour(openStream(hit), `: ${"x".repeat(1024)}\n`)),
]

/** What the call that is resumed was to be answered with. */
const due = ({ remember }: HttpHit) => event(remember["due"], "last")

/** Opens a stream with an event that has an id, and drops it. */
const drop = (hit: HttpHit, id: string, retry: string) => {
  if (hit.kind === "strike") hit.remember["due"] = hit.good
  openStream(hit).end(event(progress, id, retry))
}

/** A call whose stream is dropped, and what becomes of its resumptions. */
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
      else openStream(hit).end(due(hit))
    },
    (hit) => drop(hit, `strike-${hit.turn}`, retry),
  )

/** The server has taken the prompt up, whatever it says to the resumption. */
const taken = unknown(
  ...["connection-lost", "protocol-violation", "rejected-by-server", "unauthorized"],
  ...["session-expired", "rate-limited", "server-error"],
)

const dropping = (
  [
    [
      "once",
      "drops the stream after an event, and goes on when the client comes back",
      [3, 17],
      well,
      drops(1, "120"),
      1,
    ],
    ["twice", "drops the stream, and the resumption of it, and then goes on", [3, 17], well, drops(2, "120"), 2],
    ["always-dropped", "drops every resumption, and asks to come back at once", [3, 17], lost, drops(1_000, "0"), 2],
    ["retry-0", "asks to come back after 0 ms", [17], well, drops(1, "0"), 1],
  ] as const
).map(([name, title, promises, expected, peer, resumes]) =>
  fault(`resume-${name}`, title, promises, expected, { resumes }).by("call", peer),
)

const never: More = { ...endsBy("deadline", 500), resumes: 0 }

const resumptions: ReadonlyArray<Fault> = [
  ...dropping,
  fault(
    "resume-retry-huge",
    "asks to come back after 115 days",
    [1, 17],
    only(fails(unknown("deadline-exceeded"), "as-after-cancel")),
    never,
  ).by("call", drops(1, "9999999999")),
  ...[204, 307, 400, 401, 404, 405, 429, 500, 503].map((status) =>
    fault(
      `resume-${status}`,
      `drops the stream, and answers the resumption with ${status}`,
      status === 307 ? [3, 17, 20] : [3, 6, 17],
      only({ call: [taken], next: status === 404 ? "anything" : "as-after-cancel" }),
    ).by(
      "call",
      resumed((hit) => {
        if (status === 404) hit.forget()
        reply(hit, status, hit.script.secret, { location: hit.elsewhere })
      }),
    ),
  ),
  fault("resume-reset", "drops the stream, and resets every resumption", [3, 4, 17], lost).by(
    "call",
    resumed(({ socket }) => void socket.resetAndDestroy()),
  ),
  fault(
    "resume-id-with-line-breaks",
    "gives an event id that no header can hold",
    [7, 22],
    only({ call: ["answers", unknown("connection-lost", "protocol-violation")], next: "answers-or-lost" }),
  ).by(
    "call",
    resumed(
      (hit) => openStream(hit).end(due(hit)),
      (hit) => {
        hit.remember["due"] = hit.good
        openStream(hit).end(`id: ${answerText}\u0001\nretry: 100\ndata: ${JSON.stringify(progress)}\n\n`)
      },
    ),
  ),
]

/** Everything that is wrong with a call's stream. */
export const streamFaults: ReadonlyArray<Fault> = [...formats, ...ends, ...stalls, ...floods, ...resumptions]
