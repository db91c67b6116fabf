/** Faults in what is said, the same on every transport. */
import {
  type Asked,
  answerText,
  type Behaviour,
  type Behaviours,
  type Channel,
  decoyText,
  introduction,
  notification,
  refusal,
  response,
} from "./Behaviour.ts"

const mebibyte = 1024 * 1024

const onCall = (call: (asked: Asked) => void): Behaviour => ({ call })
const onInitialize = (initialize: (asked: Asked) => void): Behaviour => ({ initialize })

/** Answers that nobody asked for, or that were asked for under another name. */
const decoys = ({ id, script, send }: Asked) => {
  const decoy = script.saying(decoyText)
  for (const foreign of ["foreign", 0, 1, -1, null, `${id} `, String(id).toUpperCase(), [id], { id }]) {
    if (foreign !== id) send(response(foreign, decoy))
  }
  send(refusal("foreign", { code: -32000, message: "of another call" }))
  send(refusal(null, { code: -32700, message: "of no call" }))
}

const other = (id: unknown) => (typeof id === "number" ? String(id) : 1)

const results: Readonly<Record<string, unknown>> = {
  null: null,
  "a-string": "done",
  "an-array": [],
  empty: {},
  "content-not-an-array": { content: answerText },
  "content-of-nulls": { content: [null] },
  "content-text-a-number": { content: [{ type: "text", text: 7 }] },
  "structure-an-array": { content: [{ type: "text", text: "x" }], structuredContent: [1] },
  "is-error-a-string": { content: [{ type: "text", text: "x" }], isError: "yes" },
}

const errors: Readonly<Record<string, unknown>> = {
  "minus-32700": { code: -32700, message: "Parse error" },
  "minus-32600": { code: -32600, message: "Invalid Request" },
  "minus-32601": { code: -32601, message: "Method not found" },
  "minus-32602": { code: -32602, message: "Invalid params" },
  "minus-32603": { code: -32603, message: "Internal error" },
  "minus-32000": { code: -32000, message: "Server error" },
  one: { code: 1, message: "One" },
  huge: { code: Number.MAX_SAFE_INTEGER, message: "Huge" },
  "no-code": { message: "No code" },
  "no-message": { code: -32603 },
  empty: {},
}

/** An error says, beside its own text, the secret that we know. */
const failing = (error: unknown) => (asked: Asked) => {
  const { message, ...rest } = error as { readonly message?: string }
  const { secret } = asked.script
  asked.error(message === undefined ? rest : { ...rest, message: `${message}: ${secret}`, data: { secret } })
}

const entries = <A>(table: Readonly<Record<string, A>>, prefix: string, make: (entry: A) => Behaviour): Behaviours =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [`${prefix}-${name}`, make(entry)]))

/** Asks the client, and goes on only when it answered as it should. */
const questions = async (channel: Channel): Promise<boolean> => {
  const pong = channel.ask("ping")
  const refused = ["sampling/createMessage", "roots/list", "zain/unheard-of"].map((method) => channel.ask(method, {}))
  const asked = { message: "May I?", requestedSchema: { type: "object", properties: {} } }
  const elicited = await channel.ask("elicitation/create", asked)
  const action = (elicited["result"] as { readonly action?: unknown } | undefined)?.action
  const answers = await Promise.all(refused)
  return "result" in (await pong) && answers.every((answer) => "error" in answer) && action !== "accept"
}

const interrogate = async (asked: Asked) => {
  if (await questions(asked)) asked.ok()
  else asked.error({ code: -32603, message: "The client answered a question in a way that it must not." })
}

const storm = ({ send }: Channel) => {
  for (let turn = 0; turn < 2_000; turn++)
    send(notification(`notifications/${lists[turn % lists.length]}/list_changed`))
}
const lists = ["tools", "prompts", "resources"]

const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`

const withProto = `"__proto__":{"isError":true,"polluted":true},"constructor":{"prototype":{"polluted":true}}`

/** Sends an answer that is as long as this, in bytes, and is cheap to make: a busy peer would be no peer to a sibling. */
const sized = (asked: Asked, size: number) => {
  const filler = "zain-filler"
  const parts = JSON.stringify(response(asked.id, asked.script.saying(answerText + filler))).split(filler)
  const filling = Buffer.alloc(Math.floor(size / (parts.length - 1)), "x")
  const pieces = parts.flatMap((part, at) => (at === 0 ? [Buffer.from(part)] : [filling, Buffer.from(part)]))
  void asked.bytes(asked.frame(Buffer.concat(pieces)))
  asked.end()
}

const complete = (asked: Asked, json: string) => {
  asked.text(json)
  asked.end()
}

/** A good answer, and this value beside it. */
const beside = (asked: Asked, json: string) => {
  const whole = `${JSON.stringify(asked.script.good).slice(0, -1)},"beside":${json}}`
  complete(asked, `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${whole}}`)
}

export const messageFaults: Behaviours = {
  healthy: {},
  sibling: {},

  "initialize-unanswered": onInitialize(() => {}),
  "initialize-late": onInitialize(({ ok }) => void setTimeout(ok, 250)),
  "initialize-wrong-version": onInitialize(({ params, result }) =>
    result({ ...introduction(params), protocolVersion: "1492-10-12" }),
  ),
  "initialize-no-version": onInitialize(({ result }) => result({ capabilities: {} })),
  "initialize-refused": onInitialize(({ error, script }) => error({ code: -32603, message: `No: ${script.secret}` })),
  "initialize-megabytes-of-error": onInitialize(({ error, script }) =>
    error({ code: -32603, message: script.secret + "x".repeat(2 * mebibyte) }),
  ),
  "initialize-asks-first": onInitialize(({ ask, ok }) => void ask("ping").then(ok)),

  "foreign-answers": onCall((asked) => {
    decoys(asked)
    asked.ok()
  }),
  "wrong-id-only": onCall(({ script, send }) => send(response("foreign", script.saying(decoyText)))),
  "number-for-string-id": onCall((asked) => {
    asked.send(response(other(asked.id), asked.script.saying(decoyText)))
    asked.ok()
  }),
  "duplicate-answer": onCall((asked) => {
    asked.send(response(asked.id, asked.script.good))
    asked.send(response(asked.id, asked.script.saying(decoyText)))
    asked.send(refusal(asked.id, { code: -32000, message: "late" }))
    asked.end()
  }),
  "split-at-every-byte": onCall((asked) => void inPieces(asked, 1)),
  "split-in-a-character": onCall((asked) => void inPieces(asked, 97)),
  "call-unanswered": onCall(() => {}),
  "is-error": onCall(({ result, script }) =>
    result({ ...script.saying(`it failed: ${script.secret}`), isError: true }),
  ),

  ...entries(results, "result", (result) => onCall((asked) => asked.result(result))),
  "result-strange-content": onCall(({ result, script }) => {
    const strange = [{ type: "hologram", depth: 3 }, { type: "image" }, { type: "resource_link", uri: "x:y" }, {}]
    const content = Array.isArray(script.good["content"]) ? script.good["content"] : []
    result({ ...script.good, content: [...strange, ...content], surprise: { at: "the end" } })
  }),
  "result-schema-mismatch": onCall(({ result, script }) =>
    result({ ...script.good, structuredContent: { content: 7, threadId: ["not", "a", "text"] } }),
  ),
  "result-and-error": onCall((asked) =>
    complete(asked, JSON.stringify({ ...response(asked.id, asked.script.good), error: { code: 1, message: "both" } })),
  ),
  "result-proto-keys": onCall((asked) =>
    complete(asked, JSON.stringify(response(asked.id, asked.script.good)).replaceAll(/\{(?!\})/gu, `{${withProto},`)),
  ),
  "result-deep": onCall((asked) => beside(asked, nested(50_000))),
  "deep-notification": onCall((asked) => {
    asked.text(`{"jsonrpc":"2.0","method":"notifications/message","params":${nested(50_000)}}`)
    asked.ok()
  }),
  "error-null": onCall(({ error }) => error(null)),
  ...entries(errors, "error", (error) => onCall(failing(error))),
  "error-megabytes": onCall(({ error, script }) =>
    error({ code: -32603, message: script.secret + "é".repeat(mebibyte), data: "x".repeat(mebibyte) }),
  ),
  "error-message-an-object": onCall(({ error, script }) =>
    error({ code: -32603, message: { secret: script.secret, deep: { list: [script.secret] } } }),
  ),

  "16-mib": onCall((asked) => sized(asked, 16 * mebibyte)),
  "64-mib": onCall((asked) => sized(asked, 64 * mebibyte)),
  "too-large": onCall((asked) => sized(asked, 64 * mebibyte)),

  wide: onCall((asked) => beside(asked, `[${"[],".repeat(1_100_000)}1]`)),
  nested: onCall((asked) => beside(asked, nested(150_000))),

  "notification-flood": onCall((asked) => {
    const { id } = asked
    for (let turn = 0; turn < 20_000; turn++) {
      asked.send(notification("notifications/progress", { progressToken: id, progress: turn, message: "at work" }))
    }
    asked.ok()
  }),
  "list-changed-storm": onCall((asked) => {
    storm(asked)
    asked.ok()
  }),
  "strange-notifications": onCall((asked) => {
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
  "asks-while-called": onCall((asked) => void interrogate(asked)),
  "asks-before": { initialized: (channel) => void questions(channel) },
  "asks-after": { afterCall: (channel) => void questions(channel) },
  "storm-after": { afterCall: storm },
}

/** Writes a whole answer in pieces of so many bytes, each by itself. */
const inPieces = async (asked: Asked, size: number) => {
  const frame = asked.frame(JSON.stringify(response(asked.id, asked.script.good)))
  for (let at = 0; at < frame.length; at += size) {
    await asked.bytes(frame.subarray(at, at + size))
    await new Promise((resolve) => setTimeout(resolve, size === 1 ? 0 : 5))
  }
  asked.end()
}
