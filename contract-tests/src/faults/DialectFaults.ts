/** Faults in the questions and events of a server while its agent works, in every dialect, the same on every transport. */
import { answers, dueOn, type Fault } from "./Fault.ts"
import { type Asked, type Channel, type Json, notification, type Script } from "./peer/Behaviour.ts"
import { mebibyte, nested } from "./peer/Payload.ts"

const everywhere = dueOn()(answers)
/** On the transports where a server can send messages outside a call. */
const unasked = dueOn("stdio", "sse")(answers)

const elicitation = "elicitation/create"

/** A request for approval in the agent server's dialect. */
const wish = { kind: "command", message: "May it run `touch approved`?", command: "touch approved", cwd: "/srv" }

/** A question that holds the request in the agent server's dialect and in the subject's own. */
const question = ({ dialect }: Script, message: unknown, wanted: unknown): Json => ({
  message,
  requestedSchema: { type: "object", properties: {} },
  _meta: { "zain/approval": wanted },
  ...dialect.question,
})

const sane = (script: Script) => question(script, wish.message, wish)

const isAccepted = ({ result }: Json) => /"accept"|"approved/.test(JSON.stringify(result ?? null))

/** Answers the call once every question is answered; reports an error if one is approved, as no policy approved it. */
const interrogate = async (asked: Asked, questions: ReadonlyArray<unknown>) => {
  const answers = await Promise.all(questions.map((params) => asked.ask(elicitation, params as Json)))
  if (answers.some(isAccepted)) asked.error({ code: -32603, message: "The client approved what no policy approved." })
  else asked.ok()
}

const strangeQuestions = (script: Script): ReadonlyArray<unknown> => [
  ...[undefined, null, 7, "now", [], {}, [wish]],
  ...[{}, { message: null }, { message: 7, requestedSchema: null }, { _meta: null }, { _meta: 7 }, { _meta: [] }],
  ...[
    ...[undefined, null, 7, "yes", [], {}, { kind: "command" }, { ...wish, kind: "everything" }],
    ...[
      { ...wish, paths: "all" },
      { ...wish, paths: [7] },
      { ...wish, command: ["rm"] },
      { ...wish, cwd: null },
    ],
  ].map((wanted) => question(script, "May I?", wanted)),
  ...[undefined, null, 7, [], {}, ""].map((message) => question(script, message, { ...wish, message })),
  ...(script.dialect.strangeQuestions ?? []).map((strange) => ({ ...question(script, "May I?", wish), ...strange })),
]

const abandon = (channel: Channel, script: Script) => void channel.ask(elicitation, sane(script))

/** JSON in which every object has members that pollute prototypes. */
const polluted = (value: unknown, more = "") =>
  JSON.stringify(value).replaceAll(
    /\{(?!\})/gu,
    `{"__proto__":{"polluted":true${more}},"constructor":{"prototype":{"polluted":true}},`,
  )

const approvals: ReadonlyArray<Fault> = [
  everywhere("approval-flood", "requests 400 approvals at once, and answers when all are declined", [16, 23], {
    takes: 3_000,
  }).call((asked) => void interrogate(asked, Array(400).fill(sane(asked.script)))),
  everywhere(
    "approval-garbage",
    "requests approvals with malformed params, and answers when none is given",
    [22, 23, 24],
  ).call((asked) => void interrogate(asked, strangeQuestions(asked.script))),
  everywhere("approval-proto-keys", "requests an approval with the keys __proto__ and constructor", [23, 24]).call(
    (asked) => {
      const params = polluted(sane(asked.script))
      asked.text(`{"jsonrpc":"2.0","id":"with-proto","method":"${elicitation}","params":${params}}`)
      void interrogate(asked, [sane(asked.script)])
    },
  ),
  everywhere("approval-megabytes", "requests an approval with megabytes of text", [14, 23]).call((asked) => {
    const long = "x".repeat(mebibyte)
    void interrogate(asked, [question(asked.script, long, { ...wish, message: long, command: long })])
  }),
  everywhere("approval-abandoned", "requests an approval, and answers the call before the decision", [2, 23]).call(
    (asked) => {
      abandon(asked, asked.script)
      asked.ok()
    },
  ),
  unasked("approval-after", "requests an approval outside a call", [2, 23]).by("call", {
    afterCall: abandon,
  }),
]

const ours = "zain/event"

const strangeEvents: ReadonlyArray<unknown> = [
  ...[undefined, null, 7, "TextDelta", [], {}, { _tag: null }, { _tag: 7 }, { _tag: "Explosion" }, { _tag: "" }],
  ...[{ _tag: "__proto__" }, { _tag: "constructor" }, { _tag: "toString" }],
  ...[{ _tag: "TextDelta" }, { _tag: "TextDelta", text: 7 }, { _tag: "Message", text: null }],
  ...[
    { _tag: "ToolStarted", toolId: {}, name: [], title: null },
    { _tag: "ToolStarted", toolId: "1" },
  ],
  ...[{ _tag: "ToolFinished", toolId: "1", name: "x", isError: "no", output: 3 }, { _tag: "ToolFinished" }],
  ...[{ _tag: "Usage", inputTokens: "many", outputTokens: -1 }, { _tag: "Usage", inputTokens: 1e308 }, { _tag: "Raw" }],
  ...[{ _tag: "ApprovalAsked" }, { _tag: "ApprovalDecided", approvalId: "1", decision: { _tag: "Approve" } }],
  // Events that only the client may emit.
  ...[{ _tag: "TurnStarted" }, { _tag: "TurnCompleted", isError: false }, { _tag: "TurnFailed", reason: "stalled" }],
  ...[
    { _tag: "Dropped", count: -1 },
    { _tag: "TextDelta", text: "x", turn: 99, sequence: -1, sessionId: "other" },
  ],
]

const metas = (requestId: unknown): ReadonlyArray<unknown> => [
  ...[undefined, null, 7, [], {}],
  ...[{ requestId }, { requestId, threadId: 7 }, { requestId, threadId: {} }, { requestId: {}, threadId: null }],
]

/** A notification of the subject's own dialect, if it has one. */
const ownEvent = (
  { dialect: { event } }: Script,
  _meta: unknown,
  body: unknown,
  id: unknown = "1",
): ReadonlyArray<Json> => (event === undefined ? [] : [notification(event.method, { _meta, id, [event.member]: body })])

/** A piece of text in that dialect. */
const piece = ({ dialect: { event } }: Script, text: string): unknown => ({ ...event?.text, delta: text })

const litter = ({ send }: Channel, script: Script, requestId: unknown) => {
  const { event: own } = script.dialect
  for (const event of strangeEvents) send(notification(ours, { _meta: { requestId, threadId: "thread-1" }, event }))
  for (const _meta of metas(requestId)) {
    send(notification(ours, { _meta, event: { _tag: "TextDelta", text: "x" } }))
    for (const message of ownEvent(script, _meta, piece(script, "x"), 7)) send(message)
  }
  for (const body of own?.strange ?? []) for (const message of ownEvent(script, { requestId }, body)) send(message)
  for (const params of [null, 7, "x", []]) {
    for (const method of [ours, ...(own === undefined ? [] : [own.method])]) send({ jsonrpc: "2.0", method, params })
  }
}

const delta = (requestId: unknown, text: string) =>
  notification(ours, { _meta: { requestId, threadId: "thread-1" }, event: { _tag: "TextDelta", text } })

/** Sends messages, then answers the call. */
const first = (tell: (asked: Asked) => void) => (asked: Asked) => {
  tell(asked)
  asked.ok()
}

const events: ReadonlyArray<Fault> = [
  everywhere("event-garbage", "sends malformed events, and events that only the client may emit", [2, 24]).call(
    first((asked) => litter(asked, asked.script, asked.id)),
  ),
  everywhere("event-proto-keys", "sends an event with the keys __proto__ and constructor", [24]).call(
    first((asked) => asked.text(polluted(delta(asked.id, "x"), ',"_tag":"TextDelta"'))),
  ),
  everywhere("event-megabytes", "sends an event of 3 MiB", [14, 15]).call(
    first((asked) => asked.send(delta(asked.id, "x".repeat(3 * mebibyte)))),
  ),
  everywhere("event-megabytes-unread", "sends 16 events of 256 KiB, which one reader does not read", [14, 16], {
    limits: { maxEventBytes: mebibyte },
    unread: true,
  }).call(
    first(({ id, script, send }) => {
      const text = "x".repeat(mebibyte / 4)
      const messages = [delta(id, text), ...ownEvent(script, { requestId: id }, piece(script, text))]
      for (let turn = 0; turn < 16; turn++) for (const message of messages) send(message)
    }),
  ),
  everywhere("event-deep", "sends an event with 100,000 levels of nesting", [15, 24]).call(
    first(({ id, text }) => {
      const event = `{"_tag":"Raw","method":"m","params":${nested(50_000)}}`
      const params = `{"_meta":{"requestId":${JSON.stringify(id)}},"event":${event}}`
      text(`{"jsonrpc":"2.0","method":"${ours}","params":${params}}`)
    }),
  ),
  everywhere("event-flood", "sends 4,000 events before its answer", [14, 15, 16], { takes: 3_000 }).call(
    first((asked) => {
      for (let turn = 0; turn < 4_000; turn++) asked.send(delta(asked.id, "piece"))
    }),
  ),
  unasked("event-after", "sends events of a call that has ended", [2, 24]).by("call", {
    // The id of the struck call is not known here; ids count from 0.
    afterCall: (channel, script) => {
      for (const id of [...Array(10).keys(), undefined]) litter(channel, script, id)
    },
  }),
]

/** Every fault in questions and events. */
export const dialectFaults: ReadonlyArray<Fault> = [...approvals, ...events]
