/** Faults of a server that is a process, and of lines on its standard output. */
import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { answers, dueOn, endsBy, type Fault, fails, notSent, opensNot, unknown } from "./Fault.ts"
import { answerText, notification, response } from "./peer/Behaviour.ts"
import { note } from "./peer/Notes.ts"

const only = dueOn("stdio")

const well = only(answers)
const gone = ["server-exited", "connection-lost"]
const died = only(fails(unknown(...gone), notSent(...gone)))
const neverOpened = only(opensNot("server-exited", "not-an-mcp-server"))
const tooLate = only(fails(unknown("deadline-exceeded"), "anything"))

const die = (how: "exit-0" | "exit-42" | "SIGKILL" | "SIGTERM", secret: string) => {
  process.stderr.write(`fatal: boom, and the token is ${secret}\n`)
  if (how === "exit-0") process.exit(0)
  if (how === "exit-42") process.exit(42)
  process.kill(process.pid, how)
}

const deaths = (
  [
    ["exit-0", "exits with 0"],
    ["exit-42", "exits with 42"],
    ["SIGKILL", "is killed by SIGKILL"],
    ["SIGTERM", "is ended by SIGTERM"],
  ] as const
).flatMap(
  ([how, title]): ReadonlyArray<Fault> => [
    died(`dies-${how}`, `${title} in the middle of a call`, [4, 6, 11, 19]).call(({ script }) =>
      die(how, script.secret),
    ),
    neverOpened(`dies-early-${how}`, `${title} before it answers initialize`, [4, 10, 19]).initialize(({ script }) =>
      die(how, script.secret),
    ),
  ],
)

/** Writes without end, and yields between writes. */
const flood = (write: () => Promise<void>) => void write().then(() => setImmediate(flood, write))

const garbage = [
  ...["Welcome!", "", "   ", "{", "}", "[]", "null", '"text"', "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1}'],
  ...["\u0000\u0001\u001b[31m", "\ufeff{}", "\ud800"],
]
const rubbish = Buffer.concat([
  ...garbage.map((line) => Buffer.from(`${line}\n`)),
  Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a]),
])

const lines: ReadonlyArray<Fault> = [
  well("garbage-before", "prints lines that are no messages before the handshake", [24]).by("handshake", {
    initialize: ({ bytes, ok }) => void bytes(rubbish).then(ok),
    start: ({ bytes }) => void bytes(rubbish),
  }),
  well("garbage-between", "prints lines that are no messages before its answer", [24]).call(
    ({ bytes, ok }) => void bytes(rubbish).then(ok),
  ),
  only(opensNot("not-an-mcp-server"))("garbage-only", "prints its usage and exits", [10, 19]).by("handshake", {
    start: (_, { secret }) => {
      process.stdout.write(`usage: not a server ${secret}\n`)
      process.exit(2)
    },
  }),
  well("carriage-returns", "ends its lines with carriage return and line feed", [24]).call(({ bytes, id, script }) => {
    void bytes(`\r\n${JSON.stringify(response(id, script.good))}\r\n`)
  }),
  well("two-in-one-chunk", "sends a notification and its answer in one piece", [24]).call(
    ({ bytes, frame, id, script }) => {
      const note = notification("notifications/message", { level: "info", data: answerText })
      void bytes(Buffer.concat([note, response(id, script.good)].map((message) => frame(JSON.stringify(message)))))
    },
  ),
  only(fails(unknown("message-too-large"), "anything"))(
    "endless-line",
    "answers with a line that never ends",
    [14, 15, 16],
  ).call(({ bytes }) => flood(() => bytes("x".repeat(64 * 1024)))),
  only(opensNot("message-too-large"))(
    "endless-line-early",
    "answers initialize with a line that never ends",
    [10, 14, 15, 16],
  ).initialize(({ bytes }) => flood(() => bytes("x".repeat(64 * 1024)))),
]

const floods: ReadonlyArray<Fault> = [
  tooLate(
    "junk-line-flood",
    "prints lines that are no messages, without end",
    [1, 14, 15, 16],
    endsBy("deadline", 800),
  ).call(({ bytes }) => {
    const lines = "this is no message\n".repeat(3_000)
    flood(() => bytes(lines))
  }),
  tooLate(
    "endless-notification-flood",
    "sends notifications without end",
    [1, 14, 15, 16],
    endsBy("deadline", 800),
  ).call(({ bytes, frame }) => {
    const line = frame(JSON.stringify(notification("notifications/message", { data: "flood" })))
    const lines = Buffer.concat(Array.from({ length: 500 }, () => line))
    flood(() => bytes(lines))
  }),
  well("stderr-flood", "writes 16 MiB to its standard error, the secret in every line", [14, 19], {
    takes: 5_000,
  }).call(({ ok, script }) => {
    const line = `${script.secret} ${"e".repeat(1000)}\n`.repeat(64)
    let turns = 0
    const more = () => {
      if (++turns > 256) ok()
      else process.stderr.write(line, more)
    }
    more()
  }),
]

const live = () => void setInterval(() => {}, 1e6)

/** Stops reading. */
const deaf = () => {
  process.stdin.pause()
  live()
}

/** Closes its output. */
const mute = () => {
  process.stdout.destroy()
  closeSync(1)
  live()
}

/** Closes its input. */
const deafen = () => {
  process.stdin.destroy()
  closeSync(0)
  live()
}

const pipes: ReadonlyArray<Fault> = [
  died("stdout-closed", "closes its output in the middle of a call, and keeps running", [4, 11]).call(mute),
  only(opensNot(...gone, "not-an-mcp-server"))(
    "stdout-closed-early",
    "closes its output before it answers initialize, and keeps running",
    [4, 10, 11],
  ).initialize(mute),
  only(fails(unknown(...gone, "deadline-exceeded"), "anything"), endsBy("deadline", 600))(
    "stdin-closed",
    "closes its input in the middle of a call, and keeps running",
    [4, 7, 11],
  ).call(deafen),
  only({ call: ["answers"], next: { reasons: ["connection-lost"] } })(
    "stdin-closed-while-idle",
    "closes its input between two calls, and keeps running",
    [4, 7],
  ).call((asked) => {
    deafen()
    setImmediate(asked.ok)
  }),
  tooLate("never-reads-again", "stops reading in the middle of a call", [1, 11], endsBy("deadline", 400)).call(deaf),
]

const silences: ReadonlyArray<Fault> = [
  only(fails(unknown("deadline-exceeded", "connection-lost"), "anything"), {
    ...endsBy("deadline", 600),
    promptBytes: 8 * 1024 * 1024,
  })("deaf-to-a-long-prompt", "does not read a prompt of 8 MiB", [1, 11, 14]).by("handshake", { initialized: deaf }),
  only(fails(unknown("stalled"), "anything"), endsBy("idleTimeout", 500))(
    "frozen",
    "is stopped by SIGSTOP in the middle of a call",
    [1, 9, 11],
  ).call(() => process.kill(process.pid, "SIGSTOP")),
  only({ call: ["answers", unknown(...gone)], next: { reasons: gone } })(
    "unfinished-line",
    "exits before the line of its answer is complete",
    [4, 24],
  ).call(({ bytes, id, script }) => {
    void bytes(JSON.stringify(response(id, script.good))).then(() => process.exit(0))
  }),
]

/** Starts a child that ignores signals. */
const child = (options: { readonly detached?: boolean; readonly holdsStdout?: boolean }) => {
  const program = "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); setInterval(() => {}, 1e6)"
  const stdout = options.holdsStdout === true ? "inherit" : "ignore"
  const started = spawn(process.execPath, ["-e", program], {
    detached: options.detached === true,
    stdio: ["ignore", stdout, "ignore"],
  })
  if (started.pid !== undefined) note.started(started.pid)
  started.unref()
}

let write: (text: string) => Promise<void> = () => Promise.resolve()

const endings: ReadonlyArray<Fault> = [
  neverOpened("dies-at-once", "exits with 42 as soon as it is started", [4, 10, 19]).by("handshake", {
    start: (_, { secret }) => die("exit-42", secret),
  }),
  only(
    { call: ["answers"], next: { reasons: gone } },
    {
      settles: true,
    },
  )("dies-while-idle", "exits between two calls", [4, 8]).by("call", {
    afterCall: () => void setTimeout(() => process.exit(42), 30),
  }),
  well("stubborn", "ignores the end of its input and SIGTERM", [9, 11]).by("close", {
    endOfInput: live,
    start: () => {
      process.on("SIGTERM", () => {})
      process.on("SIGHUP", () => {})
    },
  }),
  well("floods-at-close", "writes without end once its input has ended", [9, 11, 14]).by("close", {
    endOfInput: () => flood(() => write("there is more to say\n".repeat(500))),
    start: ({ bytes }) => {
      write = bytes
      process.on("SIGTERM", () => {})
    },
  }),
  died("grandchild-holds-stdout", "exits in the middle of a call while its child keeps the output open", [4, 11]).call(
    ({ script }) => {
      child({ holdsStdout: true })
      die("exit-42", script.secret)
    },
  ),
  ...(
    [
      ["grandchild-at-close", "leaves a child behind that ignores SIGTERM", false],
      ["grandchild-in-its-own-session", "leaves a child behind in a process session of its own", true],
    ] as const
  ).map(([id, title, detached]) =>
    well(id, title, [9, 11]).by("close", {
      call: ({ ok }) => {
        child({ detached })
        ok()
      },
    }),
  ),
]

/** Every fault that only a process can have. */
export const stdioFaults: ReadonlyArray<Fault> = [...deaths, ...lines, ...floods, ...pipes, ...silences, ...endings]
