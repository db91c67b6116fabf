import { assert, describe } from "@effect/vitest"
import * as HostGuard from "@zain/process/HostGuard"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber, Layer } from "effect"
import * as AgentChannel from "../src/AgentChannel.ts"

const limits = { modelTimeout: Duration.zero, acceptTimeout: Duration.zero }
const env = { PATH: process.env["PATH"] ?? "", API_TOKEN: "the secret" }

/** A channel to a Node program, whose source is the first argument. */
const open = Effect.fnUntraced(function* (program: string, maxMessageBytes?: number) {
  const guarded = yield* Layer.build(HostGuard.layer)
  const command = { command: process.execPath, args: ["-e", program], env, ...limits }
  const target = AgentChannel.target(command, [])
  return yield* AgentChannel.open({ ...target, ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }) }).pipe(
    Effect.provideContext(guarded),
  )
})

/** The messages of an agent until its end, and the reason of its end. */
const story = ({ listen }: AgentChannel.AgentChannel) =>
  Effect.callback<{ readonly messages: ReadonlyArray<AgentChannel.AgentMessage>; readonly reason: string }>(
    (resume) => {
      const messages: Array<AgentChannel.AgentMessage> = []
      listen({
        message: (message) => messages.push(message),
        ended: (reason) => resume(Effect.succeed({ messages, reason })),
      })
    },
  )

describe("an `AgentChannel` (promises 4, 7, 14 and 19)", () => {
  test.live(
    "emits objects, ignores everything else, and reports the end with the last stderr output, without secrets",
    function* () {
      const program = `
        process.stdout.write('{"a":1}\\n[2]\\nx\\n{"b":\\n  {"c":"' + "x".repeat(10_000_000) + '"}\\r\\n')
        process.stderr.write("it was the secret\\n", () => { process.exitCode = 3 })`
      const { messages, reason } = yield* story(yield* open(program))
      assert.deepStrictEqual(messages, [{ a: 1 }, { c: "x".repeat(10_000_000) }])
      assert.include(
        reason,
        "exited with code 3. The next prompt starts it again. Last stderr output: it was <redacted>",
      )
    },
  )

  test.live("quotes the last stderr output from the beginning of a word", function* () {
    const program = `process.stderr.write("abcdefgh ".repeat(100) + "the end", () => { process.exitCode = 3 })`
    const { reason } = yield* story(yield* open(program))
    assert.match(reason, /Last stderr output: (abcdefgh ){43}the end$/)
  })

  test.live(
    "writes messages that are sent before its end, also after one that JSON cannot represent, and none after",
    function* () {
      const channel = yield* open(
        `process.stdin.once("data", (said) => { process.stdout.write(said); process.exit() })`,
      )
      const received = yield* Effect.forkChild(story(channel), { startImmediately: true })
      assert.throws(() => channel.send({ size: 1n }), TypeError)
      channel.send({ text: "line\nbreak" })
      const { messages } = yield* Fiber.join(received)
      assert.deepStrictEqual(messages, [{ text: "line\nbreak" }])
      channel.send({ text: "after the end" })
    },
  )

  test.live.each([
    { what: "closes its output and lives on", program: `require("fs").closeSync(1); setInterval(() => {}, 1e6)` },
    { what: "says too much at once", program: `process.stdout.write("x".repeat(200_000)); setInterval(() => {}, 1e6)` },
  ])("ends when the agent $what", function* ({ program }) {
    const { reason } = yield* story(yield* open(program, 100_000))
    assert.match(reason, /closed its pipes|more than 100000 bytes/)
  })

  test.live.each([
    { what: "nests", text: '"["', count: 2_000_000, reason: "sent a line nested more than 1000 levels deep" },
    { what: "repeats", text: '"[],"', count: 1_500_000, reason: "sent a line with more than 1000000 values" },
  ])(
    "ends when the agent $what so much that parsing it would take too much memory",
    function* ({ count, reason, text }) {
      const channel = yield* open(`process.stdout.write('{"a":[' + ${text}.repeat(${count}) + "\\n")`)
      const received = yield* story(channel)
      assert.deepStrictEqual(received.messages, [])
      assert.include(received.reason, reason)
    },
  )

  test.live("ends when the agent does not read its input", function* () {
    const channel = yield* open("setInterval(() => {}, 1e6)", 100_000)
    const received = yield* Effect.forkChild(story(channel), { startImmediately: true })
    for (let n = 0; n < 10; n++) channel.send({ text: "x".repeat(100_000) })
    assert.include((yield* Fiber.join(received)).reason, "does not read its input")
  })

  test.live("fails to open for a program that does not exist", function* () {
    const command = { command: "/no/such/program", args: [], env, ...limits }
    const error = yield* AgentChannel.open(AgentChannel.target(command, [])).pipe(
      Effect.flip,
      Effect.provide(HostGuard.layer),
    )
    assert.strictEqual(error.reason, "start-failed")
    assert.include(error.message, "/no/such/program")
  })
})
