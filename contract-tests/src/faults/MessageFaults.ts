/** Faults in the messages of a server, the same on every transport. */
import { answers, dueOn, endsBy, type Fault, fails, opensNot, unknown } from "./Fault.ts"
import { type Asked, type Channel, decoyText, introduction, notification, refusal, response } from "./peer/Behaviour.ts"
import { beside, complete, inPieces, mebibyte, nested, sized } from "./peer/Payload.ts"

const due = dueOn()
const everywhere = due(answers)
/** On the transports where a server can send messages outside a call. */
const unasked = dueOn("stdio", "sse")(answers)
const lost = due(fails(unknown("message-too-large"), "as-after-cancel"))
const noServer = due(opensNot("not-an-mcp-server"))
const refuses = due(opensNot("not-an-mcp-server", "server-error"))
const timesOut = endsBy("connectTimeout", 500)

const handshake: ReadonlyArray<Fault> = [
  due(opensNot("connect-timeout"), timesOut)("initialize-unanswered", "never answers initialize", [1, 10]).initialize(
    () => {},
  ),
  everywhere("initialize-late", "answers initialize late, but in time", [1]).initialize(
    ({ ok }) => void setTimeout(ok, 250),
  ),
  noServer("initialize-wrong-version", "answers initialize with an unknown protocol version", [6, 10]).initialize(
    ({ params, result }) => result({ ...introduction(params), protocolVersion: "1492-10-12" }),
  ),
  noServer("initialize-no-version", "answers initialize without the required members", [6, 10]).initialize(
    ({ result }) => result({ capabilities: {} }),
  ),
  refuses("initialize-refused", "refuses initialize, and echoes the secret", [6, 10, 19]).initialize(
    ({ error, script }) => error({ code: -32603, message: `No: ${script.secret}` }),
  ),
  refuses("initialize-megabytes-of-error", "refuses initialize with megabytes of text", [6, 14, 19]).initialize(
    ({ error, script }) => error({ code: -32603, message: script.secret + "x".repeat(2 * mebibyte) }),
  ),
  everywhere("initialize-asks-first", "pings before it answers initialize, and waits for the answer", [23]).initialize(
    ({ ask, ok }) => void ask("ping").then(ok),
  ),
]

/** Answers to no request, or to a request with another id. */
const decoys = ({ id, script, send }: Asked) => {
  const decoy = script.saying(decoyText)
  for (const foreign of ["foreign", 0, 1, -1, null, `${id} `, String(id).toUpperCase(), [id], { id }]) {
    if (foreign !== id) send(response(foreign, decoy))
  }
  send(refusal("foreign", { code: -32000, message: "of another call" }))
  send(refusal(null, { code: -32700, message: "of no call" }))
}

const other = (id: unknown) => (typeof id === "number" ? String(id) : 1)

const ids: ReadonlyArray<Fault> = [
  everywhere("foreign-answers", "answers requests that were never sent, then the call", [2, 21]).call((asked) => {
    decoys(asked)
    asked.ok()
  }),
  due(fails(unknown("deadline-exceeded"), "as-after-cancel"), {
    ...endsBy("deadline", 400),
    mustCancel: true,
  })("wrong-id-only", "answers under a wrong id only", [1, 2]).call(({ script, send }) =>
    send(response("foreign", script.saying(decoyText))),
  ),
  everywhere("number-for-string-id", "answers under a number for a string id", [2, 24]).call((asked) => {
    asked.send(response(other(asked.id), asked.script.saying(decoyText)))
    asked.ok()
  }),
  everywhere("duplicate-answer", "answers three times with different results", [2]).call((asked) => {
    asked.send(response(asked.id, asked.script.good))
    asked.send(response(asked.id, asked.script.saying(decoyText)))
    asked.send(refusal(asked.id, { code: -32000, message: "late" }))
    asked.end()
  }),
]

const lists = ["tools", "prompts", "resources"]
const storm = ({ send }: Channel) => {
  for (let turn = 0; turn < 2_000; turn++)
    send(notification(`notifications/${lists[turn % lists.length]}/list_changed`))
}

const marked = (asked: Asked, result: unknown) => complete(asked, `\uFEFF${JSON.stringify(response(asked.id, result))}`)

const delivery: ReadonlyArray<Fault> = [
  everywhere("split-at-every-byte", "sends its answer byte by byte", [24], { takes: 4_000 }).call(
    (asked) => void inPieces(asked, 1),
  ),
  everywhere("split-in-a-character", "sends its answer in pieces that cut characters in two", [24]).call(
    (asked) => void inPieces(asked, 97),
  ),
  everywhere("byte-order-mark", "sends a byte order mark before its answers", [24]).by("call", {
    initialize: (asked) => marked(asked, introduction(asked.params)),
    call: (asked) => marked(asked, asked.script.good),
  }),
  due(fails(unknown("stalled"), "as-after-cancel"), {
    ...endsBy("idleTimeout", 500),
    mustCancel: true,
  })("call-unanswered", "never answers a call, and sends nothing", [1, 5]).call(() => {}),
  everywhere("16-mib", "answers with 16 MiB", [14, 15], {
    limits: { maxMessageBytes: 20 * mebibyte },
    takes: 5_000,
  }).call((asked) => sized(asked, 16 * mebibyte)),
  everywhere("64-mib", "answers with 64 MiB within the limit", [14], {
    limits: { maxMessageBytes: 72 * mebibyte },
    takes: 10_000,
  }).call((asked) => sized(asked, 64 * mebibyte)),
  lost("too-large", "answers with 64 MiB above the limit", [6, 14, 15], { takes: 5_000 }).call((asked) =>
    sized(asked, 64 * mebibyte),
  ),
  lost("wide", "answers with 1,100,000 empty arrays beside the answer", [6, 14, 15]).call((asked) =>
    beside(asked, `[${"[],".repeat(1_100_000)}1]`),
  ),
  lost("nested", "answers with 300,000 levels of nesting beside the answer", [6, 14, 15]).call((asked) =>
    beside(asked, nested(150_000)),
  ),
  everywhere("notification-flood", "sends 20,000 notifications before its answer", [14, 15, 16], {
    takes: 5_000,
  }).call((asked) => {
    const { id } = asked
    for (let turn = 0; turn < 20_000; turn++) {
      asked.send(notification("notifications/progress", { progressToken: id, progress: turn, message: "at work" }))
    }
    asked.ok()
  }),
  everywhere("list-changed-storm", "sends 2,000 list_changed notifications", [17]).call((asked) => {
    storm(asked)
    asked.ok()
  }),
  unasked("storm-after", "sends 2,000 list_changed notifications between calls", [17]).by("call", {
    afterCall: storm,
  }),
  everywhere(
    "strange-notifications",
    "sends malformed notifications, and answers that are no JSON-RPC 2.0",
    [2, 24],
  ).call((asked) => {
    for (const params of [null, 7, "x", [], { progressToken: null }, { progressToken: {} }, { _meta: 3 }]) {
      asked.send({ jsonrpc: "2.0", method: "notifications/progress", params })
    }
    asked.send({ jsonrpc: "2.0", method: "" })
    asked.send({ jsonrpc: "2.0", method: 7 })
    asked.send({ jsonrpc: "1.0", id: asked.id, result: asked.script.saying(decoyText) })
    asked.send({ id: asked.id, result: asked.script.saying(decoyText) })
    asked.send([response(asked.id, asked.script.saying(decoyText))])
    asked.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: asked.id } })
    asked.ok()
  }),
]

/** Sends requests to the client; returns whether all were answered as required. */
const ask = async (channel: Channel): Promise<boolean> => {
  const pong = channel.ask("ping")
  const refused = ["sampling/createMessage", "roots/list", "zain/unheard-of"].map((method) => channel.ask(method, {}))
  const asked = { message: "May I?", requestedSchema: { type: "object", properties: {} } }
  const elicited = await channel.ask("elicitation/create", asked)
  const action = (elicited["result"] as { readonly action?: unknown } | undefined)?.action
  const answers = await Promise.all(refused)
  return "result" in (await pong) && answers.every((answer) => "error" in answer) && action !== "accept"
}

const interrogate = async (asked: Asked) => {
  if (await ask(asked)) asked.ok()
  else asked.error({ code: -32603, message: "The client answered a request of the server wrongly." })
}

const wishes = "requests sampling, roots, an elicitation and a ping"

const questions: ReadonlyArray<Fault> = [
  unasked("asks-before", `${wishes} before any call`, [23]).by("call", {
    initialized: (channel) => void ask(channel),
  }),
  everywhere("asks-while-called", `${wishes} during a call, and answers once they are answered`, [23]).call(
    (asked) => void interrogate(asked),
  ),
  unasked("asks-after", `${wishes} after a call`, [23]).by("call", {
    afterCall: (channel) => void ask(channel),
  }),
]

/** Every fault in a message. */
export const messageFaults: ReadonlyArray<Fault> = [...handshake, ...ids, ...delivery, ...questions]
