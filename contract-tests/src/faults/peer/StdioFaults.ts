/** Faults of a process, and of lines on its standard output. */
import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { type Asked, answerText, type Behaviour, type Behaviours, response } from "./Behaviour.ts"
import { note } from "./Notes.ts"

const onCall = (call: (asked: Asked) => void): Behaviour => ({ call })

const say = (text: string) => void process.stderr.write(text)

/** Never returns control for long, and never stops by itself. */
const flood = (write: () => Promise<void>) => void write().then(() => setImmediate(flood, write))

let write: (text: string) => Promise<void> = () => Promise.resolve()

const garbage = [
  "Welcome!",
  "",
  "   ",
  "{",
  "}",
  "[]",
  "null",
  '"text"',
  "{}",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1}',
  "\u0000\u0001\u001b[31m",
  "\ufeff{}",
  "\ud800",
]
const junk = [...garbage.map((line) => Buffer.from(`${line}\n`)), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a])]
const rubbish = Buffer.concat(junk)

/** A child that stays. */
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

const die = (how: "exit-0" | "exit-42" | "SIGKILL" | "SIGTERM", secret: string) => {
  say(`fatal: boom, and the token is ${secret}\n`)
  if (how === "exit-0") process.exit(0)
  if (how === "exit-42") process.exit(42)
  process.kill(process.pid, how)
}

const deaths = ["exit-0", "exit-42", "SIGKILL", "SIGTERM"] as const

const dying: Behaviours = Object.fromEntries(
  deaths.flatMap(
    (how): ReadonlyArray<[string, Behaviour]> => [
      [`dies-${how}`, onCall(({ script }) => die(how, script.secret))],
      [`dies-early-${how}`, { initialize: ({ script }) => die(how, script.secret) }],
    ],
  ),
)

export const stdioFaults: Behaviours = {
  ...dying,
  "dies-at-once": { start: (_, { secret }) => die("exit-42", secret) },
  "garbage-before": {
    initialize: ({ bytes, ok }) => void bytes(rubbish).then(ok),
    start: ({ bytes }) => void bytes(rubbish),
  },
  "garbage-between": onCall(({ bytes, ok }) => void bytes(rubbish).then(ok)),
  "garbage-only": {
    start: (_, { secret }) => {
      process.stdout.write(`usage: not a server ${secret}\n`)
      process.exit(2)
    },
  },
  "carriage-returns": onCall(({ bytes, id, script }) => {
    const json = JSON.stringify(response(id, script.good))
    void bytes(`\r\n${json}\r\n`)
  }),
  "two-in-one-chunk": onCall(({ frame, bytes, id, script }) => {
    const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: answerText } }
    void bytes(Buffer.concat([frame(JSON.stringify(note)), frame(JSON.stringify(response(id, script.good)))]))
  }),
  "endless-line": onCall(({ bytes }) => flood(() => bytes("x".repeat(64 * 1024)))),
  "endless-line-early": { initialize: ({ bytes }) => flood(() => bytes("x".repeat(64 * 1024))) },
  "junk-line-flood": onCall(({ bytes }) => {
    const lines = "this is no message\n".repeat(3_000)
    flood(() => bytes(lines))
  }),
  "endless-notification-flood": onCall(({ frame, bytes }) => {
    const line = frame(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "flood" } }))
    const lines = Buffer.concat(Array.from({ length: 500 }, () => line))
    flood(() => bytes(lines))
  }),
  "stderr-flood": onCall(({ ok, script }) => {
    const line = `${script.secret} ${"e".repeat(1000)}\n`.repeat(64)
    let turns = 0
    const more = () => {
      if (++turns > 256) ok()
      else process.stderr.write(line, more)
    }
    more()
  }),
  "stdout-closed": onCall(() => {
    process.stdout.destroy()
    closeSync(1)
    setInterval(() => {}, 1e6)
  }),
  "stdout-closed-early": {
    initialize: () => {
      closeSync(1)
      setInterval(() => {}, 1e6)
    },
  },
  "stdin-closed": onCall(() => {
    process.stdin.destroy()
    closeSync(0)
    setInterval(() => {}, 1e6)
  }),
  "never-reads-again": onCall(() => {
    process.stdin.pause()
    setInterval(() => {}, 1e6)
  }),
  "deaf-to-a-long-prompt": {
    initialized: () => {
      process.stdin.pause()
      setInterval(() => {}, 1e6)
    },
  },
  frozen: onCall(() => process.kill(process.pid, "SIGSTOP")),
  "unfinished-line": onCall(({ bytes, id, script }) => {
    void bytes(JSON.stringify(response(id, script.good))).then(() => process.exit(0))
  }),
  "floods-at-close": {
    endOfInput: () => flood(() => write("there is more to say\n".repeat(500))),
    start: ({ bytes }) => {
      write = bytes
      process.on("SIGTERM", () => {})
    },
  },
  stubborn: {
    endOfInput: () => void setInterval(() => {}, 1e6),
    start: () => {
      process.on("SIGTERM", () => {})
      process.on("SIGHUP", () => {})
    },
  },
  "grandchild-holds-stdout": onCall(({ script }) => {
    child({ holdsStdout: true })
    die("exit-42", script.secret)
  }),
  "grandchild-at-close": onCall(({ ok }) => {
    child({})
    ok()
  }),
  "grandchild-in-its-own-session": onCall(({ ok }) => {
    child({ detached: true })
    ok()
  }),
  "dies-while-idle": { afterCall: () => void setTimeout(() => process.exit(42), 30) },
}
