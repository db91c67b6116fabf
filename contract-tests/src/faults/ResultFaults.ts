/** Faults in the answer to a call, the same on every transport. */
import { answers, type CallOutcome, type Expectation, type Fault, on, unknown } from "./Fault.ts"

const violation = unknown("protocol-violation")
const failed = unknown("server-error")
/** The server says that it did not take the call up. */
const refused = { reasons: ["rejected-by-server"] }

/** The server was heard, so the conversation may go on. */
const heard = (...call: ReadonlyArray<CallOutcome>): Expectation => ({ call, next: "answers-or-lost" })

const fault = (id: string, title: string, expectation: Expectation, promises: ReadonlyArray<number>): Fault => ({
  id,
  title,
  promises,
  strikes: "call",
  expected: on(expectation),
})

const results: ReadonlyArray<Fault> = [
  fault("is-error", "says isError, and echoes the secret", { call: ["is-error"], next: "as-after-failure" }, [19, 24]),
  fault("result-null", "answers with null", heard(violation), [6, 24]),
  fault("result-a-string", "answers with a string", heard(violation), [6, 24]),
  fault("result-an-array", "answers with an array", heard(violation), [6, 24]),
  fault("result-empty", "answers without content", heard(violation), [6, 24]),
  fault("result-content-not-an-array", "answers with content that is no array", heard(violation), [6, 24]),
  fault("result-content-of-nulls", "answers with content of null", heard(violation), [6, 24]),
  fault("result-content-text-a-number", "answers with a text that is a number", heard(violation), [6, 24]),
  fault("result-structure-an-array", "answers with structured content that is an array", heard(violation), [6, 24]),
  fault("result-is-error-a-string", "says isError in words", heard(violation), [6, 24]),
  fault("result-strange-content", "answers with kinds of content that nobody knows, beside good ones", answers, [24]),
  fault(
    "result-schema-mismatch",
    "answers with structured content of the wrong types beside a good text",
    heard(violation),
    [6, 15, 24],
  ),
  fault("result-and-error", "answers with a result and an error at once", heard(failed, violation), [24]),
  fault("result-proto-keys", "answers with __proto__ and constructor for keys", answers, [24]),
  fault("result-deep", "answers with 100,000 levels of nesting beside the answer", answers, [15, 24]),
  fault("deep-notification", "sends a notification with 100,000 levels of nesting", answers, [15, 24]),
]

const errors: ReadonlyArray<Fault> = [
  fault("error-minus-32700", "fails with -32700, a parse error", heard(refused), [6, 19]),
  fault("error-minus-32600", "fails with -32600, an invalid request", heard(refused), [6, 19]),
  fault("error-minus-32601", "fails with -32601, an unknown method", heard(refused), [6, 19]),
  fault("error-minus-32602", "fails with -32602, invalid params", heard(refused), [6, 19]),
  fault("error-minus-32603", "fails with -32603, an internal error", heard(failed), [6, 19]),
  fault("error-minus-32000", "fails with -32000, an error of its own", heard(failed), [6, 19]),
  fault("error-one", "fails with 1, a code outside of every range", heard(failed), [6, 19]),
  fault("error-huge", "fails with the largest code there is", heard(failed), [6, 19]),
  fault("error-no-code", "fails without a code", heard(failed, violation), [6, 19]),
  fault("error-no-message", "fails without a message", heard(failed, violation), [6, 19]),
  fault("error-empty", "fails with an empty error", heard(failed, violation), [6, 19]),
  fault("error-null", "fails with null for an error", heard(failed, violation), [6, 24]),
  fault("error-message-an-object", "fails with an object for a message, the secret in it", heard(failed), [6, 19]),
  fault("error-megabytes", "fails in megabytes of text, the secret in it", heard(failed), [6, 14, 19]),
]

/** Every kind of answer that is none. */
export const resultFaults: ReadonlyArray<Fault> = [...results, ...errors]

/** No server misbehaves at all. */
export const healthy: Fault = {
  id: "healthy",
  title: "does everything right",
  promises: [1, 2, 3, 13],
  strikes: "call",
  expected: on(answers),
}
