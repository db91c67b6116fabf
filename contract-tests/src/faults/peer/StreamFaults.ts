/** Faults of the stream of server-sent events that answers a POST. */
import { answerText, type Behaviours, decoyText, notification, response } from "./Behaviour.ts"
import { at, event, type HttpHit, openStream, pour, reply } from "./HttpHit.ts"
import { resumeStatuses } from "./Statuses.ts"

const progress = notification("notifications/message", { level: "info", data: "at work" })

/** What the call that is resumed was to be answered with. */
const owed = ({ remember }: HttpHit) => remember["owed"]

/** Opens a stream with an event that has an id, and drops it. */
const drop = (hit: HttpHit, id: string, retry: string) => {
  if (hit.kind === "strike") hit.remember["owed"] = hit.good
  openStream(hit).end(event(progress, id, retry))
}

/** Drops the call's stream, and the first so many resumptions of it. */
const drops = (times: number, retry: string) => ({
  http: (hit: HttpHit) => {
    if (hit.kind !== "strike" && hit.kind !== "resume") return false
    if (hit.kind === "strike" || hit.turn < times - 1) drop(hit, `${hit.kind}-${hit.turn}`, retry)
    else openStream(hit).end(event(owed(hit), "last"))
    return true
  },
})

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

export const streamFaults: Behaviours = {
  "stream-odd-format": at("strike", (hit) => openStream(hit).end(strange(hit))),
  "stream-odd-content-type": at("strike", (hit) => {
    hit.response.writeHead(200, { "content-type": 'text/event-stream; charset="utf-8"' }).end(event(hit.good))
  }),
  "stream-ends": at("strike", (hit) => openStream(hit).end(event(progress))),
  "stream-ends-at-once": at("strike", (hit) => void openStream(hit).end()),
  "stream-ends-in-an-event": at("strike", (hit) => openStream(hit).end(`data: ${JSON.stringify(hit.good)}\n`)),
  "stream-reset": at("strike", (hit) => {
    openStream(hit).write(event(progress), () => void hit.socket.resetAndDestroy())
  }),
  "stream-stays-open": at("strike", (hit) => void openStream(hit).write(event(hit.good))),
  "stream-silent": at("strike", (hit) => openStream(hit).flushHeaders()),
  "stream-comments-only": at("strike", (hit) => {
    const out = openStream(hit)
    const timer = setInterval(() => out.write(": still here\n\n"), 20)
    out.on("close", () => clearInterval(timer))
  }),
  "stream-endless-event": at("strike", (hit) => {
    const out = openStream(hit)
    out.write("data: ")
    pour(out, "x".repeat(64 * 1024))
  }),
  "stream-endless-lines": at("strike", (hit) => pour(openStream(hit), `data: ${"x".repeat(1024)}\n`)),
  "stream-endless-short-lines": at("strike", (hit) => pour(openStream(hit), "data:a\n".repeat(10_000))),
  "stream-endless-comments": at("strike", (hit) => pour(openStream(hit), `: ${"x".repeat(1024)}\n`)),
  "stream-late-answer": at("strike", (hit) => {
    const out = openStream(hit)
    out.write(event(progress))
    setTimeout(() => out.end(event(hit.good)), 100)
  }),
  "resume-once": drops(1, "120"),
  "resume-twice": drops(2, "120"),
  "resume-always-dropped": drops(1_000, "0"),
  "resume-retry-0": drops(1, "0"),
  "resume-retry-huge": drops(1, "9999999999"),
  "resume-reset": {
    http: (hit) => {
      if (hit.kind === "strike") drop(hit, "one", "100")
      else if (hit.kind === "resume") hit.socket.resetAndDestroy()
      else return false
      return true
    },
  },
  ...Object.fromEntries(
    resumeStatuses.map((status) => [
      `resume-${status}`,
      {
        http: (hit: HttpHit) => {
          if (hit.kind === "strike") drop(hit, "one", "100")
          else if (hit.kind === "resume") {
            if (status === 404) hit.forget()
            reply(hit, status, hit.script.secret, { location: hit.elsewhere })
          } else return false
          return true
        },
      },
    ]),
  ),
  "resume-id-with-line-breaks": {
    http: (hit) => {
      if (hit.kind === "strike") {
        hit.remember["owed"] = hit.good
        openStream(hit).end(`id: ${answerText}\u0001\nretry: 100\ndata: ${JSON.stringify(progress)}\n\n`)
      } else if (hit.kind === "resume") openStream(hit).end(event(owed(hit), "last"))
      else return false
      return true
    },
  },
}
