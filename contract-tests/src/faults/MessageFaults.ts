/** Faults in what a server says, the same on every transport. */
import { answers, type Fault, fails, on, opensNot, unknown } from "./Fault.ts"

const mebibyte = 1024 * 1024

const handshake: ReadonlyArray<Fault> = [
  {
    id: "initialize-unanswered",
    title: "never answers initialize",
    promises: [1, 10],
    strikes: "handshake",
    expected: on(opensNot("connect-timeout")),
    limits: { connectTimeout: 500 },
    endsBy: "connectTimeout",
  },
  {
    id: "initialize-late",
    title: "answers initialize late, but in time",
    promises: [1],
    strikes: "handshake",
    expected: on(answers),
  },
  {
    id: "initialize-wrong-version",
    title: "speaks a version of the protocol that nobody knows",
    promises: [6, 10],
    strikes: "handshake",
    expected: on(opensNot("not-an-mcp-server")),
  },
  {
    id: "initialize-no-version",
    title: "answers initialize without what it must hold",
    promises: [6, 10],
    strikes: "handshake",
    expected: on(opensNot("not-an-mcp-server")),
  },
  {
    id: "initialize-refused",
    title: "refuses initialize, and echoes the secret",
    promises: [6, 10, 19],
    strikes: "handshake",
    expected: on(opensNot("not-an-mcp-server", "server-error")),
  },
  {
    id: "initialize-megabytes-of-error",
    title: "refuses initialize in megabytes of text",
    promises: [6, 14, 19],
    strikes: "handshake",
    expected: on(opensNot("not-an-mcp-server", "server-error")),
  },
  {
    id: "initialize-asks-first",
    title: "pings before it answers initialize, and waits for the answer",
    promises: [23],
    strikes: "handshake",
    expected: on(answers),
  },
]

const ids: ReadonlyArray<Fault> = [
  {
    id: "foreign-answers",
    title: "answers calls that nobody made, then the one that was made",
    promises: [2, 21],
    strikes: "call",
    expected: on(answers),
  },
  {
    id: "wrong-id-only",
    title: "answers under a wrong id, and no more",
    promises: [1, 2],
    strikes: "call",
    expected: on(fails(unknown("deadline-exceeded"), "as-after-cancel")),
    limits: { deadline: 400 },
    endsBy: "deadline",
    told: true,
  },
  {
    id: "number-for-string-id",
    title: "answers under a number where the id is a string",
    promises: [2, 24],
    strikes: "call",
    expected: on(answers),
  },
  {
    id: "duplicate-answer",
    title: "answers three times, differently",
    promises: [2],
    strikes: "call",
    expected: on(answers),
  },
]

const delivery: ReadonlyArray<Fault> = [
  {
    id: "split-at-every-byte",
    title: "sends its answer byte by byte",
    promises: [24],
    strikes: "call",
    expected: on(answers),
    takes: 4_000,
  },
  {
    id: "split-in-a-character",
    title: "sends its answer in pieces that cut characters in two",
    promises: [24],
    strikes: "call",
    expected: on(answers),
  },
  {
    id: "call-unanswered",
    title: "never answers a call, and says nothing",
    promises: [1, 5],
    strikes: "call",
    expected: on(fails(unknown("stalled"), "as-after-cancel")),
    limits: { idleTimeout: 500 },
    endsBy: "idleTimeout",
    told: true,
  },
  {
    id: "16-mib",
    title: "answers with 16 MiB",
    promises: [14, 15],
    strikes: "call",
    expected: on(answers),
    limits: { maxMessageBytes: 20 * mebibyte },
    takes: 5_000,
  },
  {
    id: "64-mib",
    title: "answers with 64 MiB, which is allowed",
    promises: [14],
    strikes: "call",
    expected: on(answers),
    limits: { maxMessageBytes: 72 * mebibyte },
    takes: 10_000,
  },
  {
    id: "too-large",
    title: "answers with 64 MiB, which is too much",
    promises: [6, 14, 15],
    strikes: "call",
    expected: on(fails(unknown("message-too-large"), "as-after-cancel")),
    takes: 5_000,
  },
  {
    id: "wide",
    title: "answers with 1,100,000 empty arrays beside the answer",
    promises: [6, 14, 15],
    strikes: "call",
    expected: on(fails(unknown("message-too-large"), "as-after-cancel")),
  },
  {
    id: "nested",
    title: "answers with 300,000 levels of nesting beside the answer",
    promises: [6, 14, 15],
    strikes: "call",
    expected: on(fails(unknown("message-too-large"), "as-after-cancel")),
  },
  {
    id: "notification-flood",
    title: "sends 20,000 notifications before its answer",
    promises: [14, 15, 16],
    strikes: "call",
    expected: on(answers),
    takes: 5_000,
  },
  {
    id: "list-changed-storm",
    title: "says 2,000 times that its lists have changed",
    promises: [17],
    strikes: "call",
    expected: on(answers),
  },
  {
    id: "storm-after",
    title: "says 2,000 times that its lists have changed, between calls",
    promises: [17],
    strikes: "call",
    expected: on(answers, "stdio", "sse"),
  },
  {
    id: "strange-notifications",
    title: "sends notifications that are none, and answers that are no JSON-RPC 2.0",
    promises: [2, 24],
    strikes: "call",
    expected: on(answers),
  },
]

const questions: ReadonlyArray<Fault> = [
  {
    id: "asks-before",
    title: "asks for sampling, roots, an elicitation and a ping before any call",
    promises: [23],
    strikes: "call",
    expected: on(answers, "stdio", "sse"),
  },
  {
    id: "asks-while-called",
    title: "asks for sampling, roots, an elicitation and a ping during a call, and answers once they are refused",
    promises: [23],
    strikes: "call",
    expected: on(answers),
  },
  {
    id: "asks-after",
    title: "asks for sampling, roots, an elicitation and a ping after a call",
    promises: [23],
    strikes: "call",
    expected: on(answers, "stdio", "sse"),
  },
]

/** Everything that is wrong with a message, whatever carries it. */
export const messageFaults: ReadonlyArray<Fault> = [...handshake, ...ids, ...delivery, ...questions]
