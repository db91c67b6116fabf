/** Faults in what a server tells of a turn, in every dialect at once, the same on every transport. */
import { type Asked, type Behaviours, type Channel, notification } from "./Behaviour.ts"

const ours = "zain/event"

const garbage: ReadonlyArray<unknown> = [
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
  // What the client alone may say.
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

/** What Codex's own server tells, out of shape. */
const messages: ReadonlyArray<unknown> = [
  ...[undefined, null, 7, [], {}, { type: 7 }, { type: "no_such_type" }, { type: "agent_message_content_delta" }],
  ...[{ type: "agent_message_content_delta", delta: 7 }, { type: "exec_command_begin" }, { type: "task_complete" }],
  ...[
    { type: "exec_command_begin", call_id: 1, command: "rm" },
    { type: "exec_command_end", exit_code: "none" },
  ],
  ...[
    { type: "token_count", info: null },
    { type: "token_count", info: { last_token_usage: { input_tokens: "x" } } },
  ],
  ...[
    { type: "patch_apply_begin", changes: [] },
    { type: "mcp_tool_call_end", result: 7, invocation: null },
  ],
]

const litter = ({ send }: Channel, requestId: unknown) => {
  for (const event of garbage) send(notification(ours, { _meta: { requestId, threadId: "thread-1" }, event }))
  for (const _meta of metas(requestId)) {
    send(notification(ours, { _meta, event: { _tag: "TextDelta", text: "x" } }))
    send(notification("codex/event", { _meta, id: 7, msg: { type: "agent_message_content_delta", delta: "x" } }))
  }
  for (const msg of messages) send(notification("codex/event", { _meta: { requestId }, id: "1", msg }))
  for (const params of [null, 7, "x", []]) {
    for (const method of [ours, "codex/event"]) send({ jsonrpc: "2.0", method, params })
  }
}

const delta = (requestId: unknown, text: string) =>
  notification(ours, { _meta: { requestId, threadId: "thread-1" }, event: { _tag: "TextDelta", text } })

const mebibyte = 1024 * 1024
const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`

const first = (tell: (asked: Asked) => void) => ({
  call: (asked: Asked) => {
    tell(asked)
    asked.ok()
  },
})

/** The ids that the struck call may have had are not known any more once it is over, but they count. */
const late = (channel: Channel) => {
  for (let id = 0; id < 10; id++) litter(channel, id)
  litter(channel, undefined)
}

export const eventFaults: Behaviours = {
  "event-garbage": first((asked) => litter(asked, asked.id)),
  "event-proto-keys": first((asked) => {
    const polluting = '{"__proto__":{"polluted":true,"_tag":"TextDelta"},"constructor":{"prototype":{"polluted":true}},'
    asked.text(JSON.stringify(delta(asked.id, "x")).replaceAll(/\{(?!\})/gu, polluting))
  }),
  "event-megabytes": first((asked) => asked.send(delta(asked.id, "x".repeat(3 * mebibyte)))),
  "event-megabytes-unread": first((asked) => {
    const text = "x".repeat(mebibyte / 4)
    for (let turn = 0; turn < 16; turn++) {
      asked.send(delta(asked.id, text))
      const msg = { type: "agent_message_content_delta", delta: text }
      asked.send(notification("codex/event", { _meta: { requestId: asked.id }, id: "1", msg }))
    }
  }),
  "event-deep": first((asked) => {
    const id = JSON.stringify(asked.id)
    const event = `{"_tag":"Raw","method":"m","params":${nested(50_000)}}`
    asked.text(`{"jsonrpc":"2.0","method":"${ours}","params":{"_meta":{"requestId":${id}},"event":${event}}}`)
  }),
  "event-flood": first((asked) => {
    for (let turn = 0; turn < 4_000; turn++) asked.send(delta(asked.id, "piece"))
  }),
  "event-after": { afterCall: late },
}
