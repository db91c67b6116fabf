/** Faults in the answer to a call, the same on every transport. */
import { answers, type CallOutcome, dueOn, type Fault, unknown } from "./Fault.ts"
import { type Asked, answerText, response } from "./peer/Behaviour.ts"
import { beside, complete, mebibyte, nested } from "./peer/Payload.ts"

const violation = unknown("protocol-violation")
const failed = unknown("server-error")
/** The server reports that it did not accept the call. */
const refused = { reasons: ["rejected-by-server"] }

/** The server has answered, so the conversation may continue. */
const due = dueOn()
const heard = (...call: ReadonlyArray<CallOutcome>) => due({ call, next: "answers-or-lost" })
const everywhere = due(answers)

const x = { type: "text", text: "x" }

const strangeResults = (
  [
    ["null", "answers with null", null],
    ["a-string", "answers with a string", "done"],
    ["an-array", "answers with an array", []],
    ["empty", "answers without content", {}],
    ["content-not-an-array", "answers with content that is no array", { content: answerText }],
    ["content-of-nulls", "answers with content of null", { content: [null] }],
    ["content-text-a-number", "answers with a text that is a number", { content: [{ type: "text", text: 7 }] }],
    [
      "structure-an-array",
      "answers with structured content that is an array",
      { content: [x], structuredContent: [1] },
    ],
    ["is-error-a-string", "answers with a string for isError", { content: [x], isError: "yes" }],
  ] as const
).map(([name, title, result]) =>
  heard(violation)(`result-${name}`, title, [6, 24]).call((asked) => asked.result(result)),
)

const polluting = `"__proto__":{"isError":true,"polluted":true},"constructor":{"prototype":{"polluted":true}}`

const results: ReadonlyArray<Fault> = [
  due({ call: ["is-error"], next: "as-after-failure" })(
    "is-error",
    "answers with isError, and echoes the secret",
    [19, 24],
  ).call(({ result, script }) => result({ ...script.saying(`it failed: ${script.secret}`), isError: true })),
  ...strangeResults,
  everywhere("result-strange-content", "answers with unknown kinds of content beside good ones", [24]).call(
    ({ result, script }) => {
      const strange = [{ type: "hologram", depth: 3 }, { type: "image" }, { type: "resource_link", uri: "x:y" }, {}]
      const content = Array.isArray(script.good["content"]) ? script.good["content"] : []
      result({ ...script.good, content: [...strange, ...content], surprise: { at: "the end" } })
    },
  ),
  heard(violation)(
    "result-schema-mismatch",
    "answers with structured content of the wrong types beside a good text",
    [6, 15, 24],
  ).call(({ result, script }) =>
    result({ ...script.good, structuredContent: { content: 7, threadId: ["not", "a", "text"] } }),
  ),
  heard(failed, violation)("result-and-error", "answers with a result and an error at once", [24]).call((asked) =>
    complete(asked, JSON.stringify({ ...response(asked.id, asked.script.good), error: { code: 1, message: "both" } })),
  ),
  everywhere("result-proto-keys", "answers with the keys __proto__ and constructor", [24]).call((asked) =>
    complete(asked, JSON.stringify(response(asked.id, asked.script.good)).replaceAll(/\{(?!\})/gu, `{${polluting},`)),
  ),
  everywhere("result-deep", "answers with 100,000 levels of nesting beside the answer", [15, 24]).call((asked) =>
    beside(asked, nested(50_000)),
  ),
  everywhere("deep-notification", "sends a notification with 100,000 levels of nesting", [15, 24]).call((asked) => {
    asked.text(`{"jsonrpc":"2.0","method":"notifications/message","params":${nested(50_000)}}`)
    asked.ok()
  }),
]

/** Fails with an error that also holds the secret. */
const failing = (asked: Asked, { message, ...rest }: { readonly code?: number; readonly message?: string }) => {
  const { secret } = asked.script
  asked.error(message === undefined ? rest : { ...rest, message: `${message}: ${secret}`, data: { secret } })
}

const errors = (
  [
    ["minus-32700", "-32700, a parse error", { code: -32700, message: "Parse error" }, refused],
    ["minus-32600", "-32600, an invalid request", { code: -32600, message: "Invalid Request" }, refused],
    ["minus-32601", "-32601, an unknown method", { code: -32601, message: "Method not found" }, refused],
    ["minus-32602", "-32602, invalid params", { code: -32602, message: "Invalid params" }, refused],
    ["minus-32603", "-32603, an internal error", { code: -32603, message: "Internal error" }, failed],
    ["minus-32000", "-32000, a server error", { code: -32000, message: "Server error" }, failed],
    ["one", "1, a code outside of every range", { code: 1, message: "One" }, failed],
    ["huge", "the largest possible code", { code: Number.MAX_SAFE_INTEGER, message: "Huge" }, failed],
  ] as const
).map(([name, what, error, expected]) =>
  heard(expected)(`error-${name}`, `fails with ${what}`, [6, 19]).call((asked) => failing(asked, error)),
)

const strangeErrors: ReadonlyArray<Fault> = [
  heard(failed, violation)("error-no-code", "fails without a code", [6, 19]).call((asked) =>
    failing(asked, { message: "No code" }),
  ),
  heard(failed, violation)("error-no-message", "fails without a message", [6, 19]).call((asked) =>
    failing(asked, { code: -32603 }),
  ),
  heard(failed, violation)("error-empty", "fails with an empty error", [6, 19]).call((asked) => failing(asked, {})),
  heard(failed, violation)("error-null", "fails with null as its error", [6, 24]).call(({ error }) => error(null)),
  heard(failed)("error-message-an-object", "fails with an object as its message, the secret in it", [6, 19]).call(
    ({ error, script: { secret } }) => error({ code: -32603, message: { secret, deep: { list: [secret] } } }),
  ),
  heard(failed)("error-megabytes", "fails with megabytes of text, the secret in it", [6, 14, 19]).call(
    ({ error, script }) =>
      error({ code: -32603, message: script.secret + "é".repeat(mebibyte), data: "x".repeat(mebibyte) }),
  ),
]

/** Every fault in the answer to a call. */
export const resultFaults: ReadonlyArray<Fault> = [...results, ...errors, ...strangeErrors]

/** A server without a fault. */
export const healthy: Fault = everywhere("healthy", "has no fault", [1, 2, 3, 13]).by("call", {})
