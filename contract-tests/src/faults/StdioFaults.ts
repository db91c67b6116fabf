/** Faults of a server that is a process. */
import { answers, type Expectation, type Fault, fails, notSent, on, opensNot, unknown } from "./Fault.ts"

const only = (expectation: Expectation) => on(expectation, "stdio")

const gone = ["server-exited", "connection-lost"]
const died = fails(unknown(...gone), notSent(...gone))

const deaths: ReadonlyArray<Fault> = [
  ["exit-0", "exits with 0"],
  ["exit-42", "exits with 42"],
  ["SIGKILL", "is killed by SIGKILL"],
  ["SIGTERM", "is ended by SIGTERM"],
].flatMap(
  ([how, title]): ReadonlyArray<Fault> => [
    {
      id: `dies-${how}`,
      title: `${title} in the middle of a call`,
      promises: [4, 6, 11, 19],
      strikes: "call",
      expected: only(died),
    },
    {
      id: `dies-early-${how}`,
      title: `${title} before it answers initialize`,
      promises: [4, 10, 19],
      strikes: "handshake",
      expected: only(opensNot("server-exited", "not-an-mcp-server")),
    },
  ],
)

const lines: ReadonlyArray<Fault> = [
  {
    id: "garbage-before",
    title: "prints what is no message before the handshake",
    promises: [24],
    strikes: "handshake",
    expected: only(answers),
  },
  {
    id: "garbage-between",
    title: "prints what is no message before its answer",
    promises: [24],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "garbage-only",
    title: "prints its usage and exits",
    promises: [10, 19],
    strikes: "handshake",
    expected: only(opensNot("not-an-mcp-server")),
  },
  {
    id: "carriage-returns",
    title: "ends its lines with a carriage return, too",
    promises: [24],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "two-in-one-chunk",
    title: "sends a notification and its answer in one piece",
    promises: [24],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "endless-line",
    title: "answers with a line that never ends",
    promises: [14, 15, 16],
    strikes: "call",
    expected: only(fails(unknown("message-too-large"), "anything")),
  },
  {
    id: "endless-line-early",
    title: "answers initialize with a line that never ends",
    promises: [10, 14, 15, 16],
    strikes: "handshake",
    expected: only(opensNot("message-too-large")),
  },
]

const floods: ReadonlyArray<Fault> = [
  {
    id: "junk-line-flood",
    title: "prints lines that are no messages, without end",
    promises: [1, 14, 15, 16],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded"), "anything")),
    limits: { deadline: 800 },
    endsBy: "deadline",
  },
  {
    id: "endless-notification-flood",
    title: "sends notifications without end",
    promises: [1, 14, 15, 16],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded"), "anything")),
    limits: { deadline: 800 },
    endsBy: "deadline",
  },
  {
    id: "stderr-flood",
    title: "writes 16 MiB to its standard error, the secret in every line",
    promises: [14, 19],
    strikes: "call",
    expected: only(answers),
    takes: 5_000,
  },
]

const pipes: ReadonlyArray<Fault> = [
  {
    id: "stdout-closed",
    title: "closes its output in the middle of a call, and lives on",
    promises: [4, 11],
    strikes: "call",
    expected: only(fails(unknown(...gone), notSent(...gone))),
  },
  {
    id: "stdout-closed-early",
    title: "closes its output before it answers initialize, and lives on",
    promises: [4, 10, 11],
    strikes: "handshake",
    expected: only(opensNot(...gone, "not-an-mcp-server")),
  },
  {
    id: "stdin-closed",
    title: "closes its input in the middle of a call, and lives on",
    promises: [4, 7, 11],
    strikes: "call",
    expected: only(fails(unknown(...gone, "deadline-exceeded"), "anything")),
    limits: { deadline: 600 },
    endsBy: "deadline",
  },
  {
    id: "never-reads-again",
    title: "stops reading in the middle of a call",
    promises: [1, 11],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded"), "anything")),
    limits: { deadline: 400 },
    endsBy: "deadline",
  },
]

const silences: ReadonlyArray<Fault> = [
  {
    id: "deaf-to-a-long-prompt",
    title: "does not read a prompt of 8 MiB",
    promises: [1, 11, 14],
    strikes: "handshake",
    expected: only(fails(unknown("deadline-exceeded", "connection-lost"), "anything")),
    limits: { deadline: 600 },
    endsBy: "deadline",
    promptBytes: 8 * 1024 * 1024,
  },
  {
    id: "frozen",
    title: "is stopped by SIGSTOP in the middle of a call",
    promises: [1, 9, 11],
    strikes: "call",
    expected: only(fails(unknown("stalled"), "anything")),
    limits: { idleTimeout: 500 },
    endsBy: "idleTimeout",
  },
  {
    id: "unfinished-line",
    title: "exits before it has ended the line of its answer",
    promises: [4, 24],
    strikes: "call",
    expected: only({ call: ["answers", unknown(...gone)], next: { reasons: gone } }),
  },
]

const endings: ReadonlyArray<Fault> = [
  {
    id: "dies-at-once",
    title: "exits with 42 as soon as it is started",
    promises: [4, 10, 19],
    strikes: "handshake",
    expected: only(opensNot("server-exited", "not-an-mcp-server")),
  },
  {
    id: "dies-while-idle",
    title: "exits between two calls",
    promises: [4, 8],
    strikes: "call",
    expected: only({ call: ["answers"], next: { reasons: gone } }),
    settles: true,
  },
  {
    id: "stubborn",
    title: "ignores the end of its input and SIGTERM",
    promises: [9, 11],
    strikes: "close",
    expected: only(answers),
  },
  {
    id: "floods-at-close",
    title: "writes without end once its input has ended",
    promises: [9, 11, 14],
    strikes: "close",
    expected: only(answers),
  },
  {
    id: "grandchild-holds-stdout",
    title: "dies in the middle of a call while a child of its own holds its output",
    promises: [4, 11],
    strikes: "call",
    expected: only(died),
  },
  {
    id: "grandchild-at-close",
    title: "leaves a child behind that ignores SIGTERM",
    promises: [9, 11],
    strikes: "close",
    expected: only(answers),
  },
  {
    id: "grandchild-in-its-own-session",
    title: "leaves a child behind in a session of its own",
    promises: [9, 11],
    strikes: "close",
    expected: only(answers),
  },
]

/** Everything that only a process can do. */
export const stdioFaults: ReadonlyArray<Fault> = [...deaths, ...lines, ...floods, ...pipes, ...silences, ...endings]
