/** Faults in what a server asks before its agent acts, in every dialect at once, the same on every transport. */
import type { Asked, Behaviours, Channel, Json } from "./Behaviour.ts"

const elicitation = "elicitation/create"

const schema = { type: "object", properties: {} }

/** What is asked for, in the words of the agent server. */
const wish = { kind: "command", message: "May it run `touch approved`?", command: "touch approved", cwd: "/srv" }

/** The same question to a client of the agent server, and to one of Codex's own server. */
const question = (message: unknown, wanted: unknown): Json => ({
  message,
  requestedSchema: schema,
  _meta: { "zain/approval": wanted },
  codex_elicitation: "exec-approval",
  codex_command: ["touch", "approved"],
  codex_cwd: "/srv",
  threadId: "thread-1",
})

const isAccepted = ({ result }: Json) =>
  JSON.stringify(result ?? null).includes('"accept"') || JSON.stringify(result ?? null).includes('"approved')

/** Answers the call once every question has its answer, and none of them is a yes: nobody decided so. */
const interrogate = async (asked: Asked, questions: ReadonlyArray<unknown>) => {
  const answers = await Promise.all(questions.map((params) => asked.ask(elicitation, params as Json)))
  if (answers.some(isAccepted)) asked.error({ code: -32603, message: "The client approved what nobody decided." })
  else asked.ok()
}

const garbage: ReadonlyArray<unknown> = [
  ...[undefined, null, 7, "now", [], {}, [wish]],
  ...[{}, { message: null }, { message: 7, requestedSchema: null }, { _meta: null }, { _meta: 7 }, { _meta: [] }],
  ...[undefined, null, 7, "yes", [], {}, { kind: "command" }, { ...wish, kind: "everything" }].map((wanted) =>
    question("May I?", wanted),
  ),
  ...[
    { ...wish, paths: "all" },
    { ...wish, paths: [7] },
    { ...wish, command: ["rm"] },
    { ...wish, cwd: null },
  ].map((wanted) => question("May I?", wanted)),
  ...[undefined, null, 7, [], {}, ""].map((message) => question(message, { ...wish, message })),
  { ...question("May I?", wish), codex_elicitation: ["exec-approval"], codex_command: { rm: "-rf" }, codex_cwd: 7 },
  { ...question("May I?", wish), codex_elicitation: "patch-approval", codex_changes: [7], codex_grant_root: {} },
]

const sane = question(wish.message, wish)
const mebibyte = 1024 * 1024

const abandon = (channel: Channel) => void channel.ask(elicitation, sane)

export const approvalFaults: Behaviours = {
  "approval-flood": { call: (asked) => void interrogate(asked, Array(400).fill(sane)) },
  "approval-garbage": { call: (asked) => void interrogate(asked, garbage) },
  "approval-proto-keys": {
    call: (asked) => {
      const polluting = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},'
      const params = JSON.stringify(sane).replaceAll(/\{(?!\})/gu, polluting)
      asked.text(`{"jsonrpc":"2.0","id":"with-proto","method":"${elicitation}","params":${params}}`)
      void interrogate(asked, [sane])
    },
  },
  "approval-megabytes": {
    call: (asked) => {
      const long = "x".repeat(mebibyte)
      void interrogate(asked, [question(long, { ...wish, message: long, command: long })])
    },
  },
  "approval-abandoned": {
    call: (asked) => {
      abandon(asked)
      asked.ok()
    },
  },
  "approval-after": { afterCall: abandon },
}
