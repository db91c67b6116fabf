/** The end of a turn is the end of its work (promise 34): real agents, whose turns leave work behind. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { McpApproval, McpEvent } from "@zain/core"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { type Place, place } from "../../src/AgentServers.ts"
import * as Stories from "../../src/BackgroundStories.ts"
import * as OwnClient from "../../src/OwnClient.ts"
import * as OwnProcesses from "../../src/OwnProcesses.ts"
import { gone, until } from "../../src/Until.ts"

const { after, hang, leave, run, say, spawn, tellers } = Stories

/** Runs until a test makes the file `go`, then makes the file `late`. */
const waiting = "until [ -e go ]; do sleep 0.05; done; touch late"
/** Never ends, nor does its child. */
const endless = "(sleep 4321 & sleep 4321); touch late"

/** A session with an agent that plays a story, whose policy approves everything. */
const session = Effect.fnUntraced(function* (
  { agent, model, tools }: Stories.Teller,
  story: Stories.Story,
  options: Readonly<Record<string, unknown>> = {},
) {
  const at = yield* place(agent, { ...(model === undefined ? {} : { model }), respond: Stories.respond(story, tools) })
  const log: Array<McpApproval.McpApprovalEntry> = []
  const client = yield* OwnClient.adapter(agent, { ask: () => "approve", log: (entry) => void log.push(entry) })
  const id = yield* client.openSession(OwnClient.adding(OwnClient.config(at), options))
  const events: Array<McpEvent> = []
  yield* Effect.forkScoped(
    Stream.runForEach(client.events(id), (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true },
  )
  const file = (name: string) => join(at.directory, name)
  return {
    ...at,
    client,
    id,
    log,
    events,
    make: (name: string) => Effect.sync(() => writeFileSync(file(name), "")),
    has: (name: string) => existsSync(file(name)),
    endless: () => at.alive().filter(({ command }) => command.includes("4321")),
    execute: (turn: number) => client.execute(id, { content: Stories.prompt(turn) }),
    said: (text: string) =>
      until(
        () => events.some((event) => event._tag === "Message" && event.text === text),
        () => `Not said: ${text}`,
      ),
  }
})

type Running = Effect.Success<ReturnType<typeof session>>

/** Runs a turn whose work goes on after its message until `go` is made, and is no longer than the turn. */
const waits = Effect.fnUntraced(function* (at: Running) {
  const turn = yield* Effect.forkScoped(at.execute(0))
  yield* at.said("Done.")
  assert.isFalse(at.has("late"))
  yield* at.make("go")
  const { content, ended } = yield* Fiber.join(turn)
  assert.deepStrictEqual({ content, ended }, { content: "Done.", ended: undefined })
  assert.isTrue(at.has("late"))
})

const titles = (works: ReadonlyArray<{ readonly kind: string; readonly title: string }> | undefined) =>
  works?.map(({ kind, title }) => (kind === "command" ? title : kind))

/** With each other way to start a sub-agent. */
const spawners = tellers.filter(({ kind }) => kind !== "tools")
const claudeCode = tellers.filter(({ agent }) => agent === "claude-code")

/** Of Codex it is in `CodexAnswers.test.ts`. */
describe.each(claudeCode)("the last text of a turn of $agent ($kind)", (teller) => {
  test.live("is the answer, also when a tool follows it and no text", function* () {
    const look: Stories.Step = (request, tools) => ({ ...tools.run(request, "touch looked"), text: "I look." })
    const at = yield* session(teller, { turns: [[look, say("")]] })
    const { content, isError } = yield* at.execute(0)
    assert.deepStrictEqual({ content, isError }, { content: "I look.", isError: false })
  })
})

describe.each(tellers)("the background work of $agent ($kind) (attack: work after the turn's end)", (teller) => {
  test.live('is not offered, or ends with the answer, with `background: "off"`', function* () {
    const { leaves, requests, without } = teller.off
    const at = yield* session(teller, { turns: [[spawn, leave(endless), say("Done.")]] }, { background: "off" })
    const { content, ended } = yield* at.execute(0)
    assert.deepStrictEqual([content, titles(ended)], ["Done.", leaves ? [endless] : undefined])
    assert.deepStrictEqual(at.endless(), [])
    const all = yield* at.model.requests
    assert.lengthOf(all, 3 + requests)
    assert.notMatch(all.flatMap(({ tools }) => tools).join(), without)
  })
})

describe.each(spawners)("the background work of $agent ($kind) (attack: work after the turn's end)", (teller) => {
  test.live("belongs to its turn: a command, a sub-agent, its approvals and tokens", function* () {
    const gate = yield* Deferred.make<void>()
    const sub = [after(Deferred.await(gate), run("touch later")), say("I did.")]
    const turns = [
      [leave(waiting), say("Done.")],
      [spawn, say("Delegated.")],
    ]
    const at = yield* session(teller, { turns, sub })
    yield* waits(at)
    const tags = at.events.map(({ _tag }) => _tag)
    assert.isBelow(tags.lastIndexOf("ToolFinished"), tags.indexOf("TurnCompleted"))
    assert.isAbove(tags.lastIndexOf("ToolFinished"), tags.indexOf("ToolStarted"))

    const [asked, before] = [at.log.length, (yield* at.model.requests).length]
    const turn = yield* Effect.forkScoped(at.execute(1))
    yield* at.said("Delegated.")
    yield* Deferred.succeed(gate, undefined)
    const { content, usage } = yield* Fiber.join(turn)
    assert.strictEqual(content, "Delegated.")
    assert.isTrue(at.has("later"))
    assert.deepStrictEqual(
      at.log.slice(asked).map(({ by, request }) => [by, request.kind, request.command]),
      [["ask", "command", "touch later"]],
    )
    const requests = (yield* at.model.requests).length - before
    assert.strictEqual(requests, 4 + teller.reports)
    assert.deepStrictEqual(usage, { inputTokens: 10 * requests, outputTokens: 5 * requests })
  })

  test.live(
    "is ended after its grace, with the children of a command, also where a sub-agent left it, and listed",
    function* () {
      const sub = [leave(endless), say("I did.")]
      const turns = [
        [leave(endless), say("Done.")],
        [spawn, say("Done.")],
      ]
      const at = yield* session(teller, { turns, sub }, { backgroundGrace: "300 millis" })
      for (const turn of turns.keys()) {
        const before = (yield* at.model.requests).length
        const { content, ended, usage } = yield* at.execute(turn)
        assert.deepStrictEqual([content, titles(ended)], ["Done.", [endless]])
        assert.deepStrictEqual(at.endless(), [])
        assert.isFalse(at.has("late"))
        assert.deepInclude(usage, { inputTokens: 10 * ((yield* at.model.requests).length - before) })
      }
    },
  )

  test.live('goes on with `background: "keep"`, within policy and events, and ends with the session', function* () {
    const gate = yield* Deferred.make<void>()
    const sub = [after(Deferred.await(gate), run("touch late")), say("I did.")]
    const turns = [[leave(endless), spawn, say("Done.")], [say("Second.")]]
    const at = yield* session(teller, { turns, sub }, { background: "keep" })
    const first = yield* at.execute(0)
    assert.deepStrictEqual([first.content, titles(first.pending)?.toSorted()], ["Done.", [endless, "sub-agent"]])
    assert.strictEqual((yield* at.execute(1)).content, "Second.")
    yield* Deferred.succeed(gate, undefined)
    const finished = () => at.events.filter((event) => event._tag === "BackgroundFinished")
    yield* until(
      () => finished().length > 0,
      () => `No end: ${JSON.stringify(at.events.slice(-5))}`,
    )
    assert.isTrue(at.has("late"))
    assert.deepInclude(finished()[0], { kind: "sub-agent", isError: false, origin: 1 })
    assert.deepInclude(
      at.events.find((event) => event._tag === "ApprovalAsked" && event.request.command === "touch late"),
      {
        origin: 1,
      },
    )
    assert.lengthOf(at.log, 2)
    assert.isNotEmpty(at.endless())
    yield* at.client.closeSession(at.id)
    assert.deepStrictEqual(at.endless(), [])
  })
})

/** What is cancelled does not depend on how a sub-agent is started. */
const cancelled = spawners.filter(({ kind }) => kind !== "unknown")

describe.each(cancelled)("the background work of $agent ($kind) (attack: work after the turn's end)", (teller) => {
  test.live("does not go on when its turn is cancelled after the agent's message", function* () {
    const sub = [hang]
    const at = yield* session(teller, { turns: [[leave(endless), spawn, say("Done.")], [say("Second.")]], sub })
    const turn = yield* Effect.forkScoped(at.execute(0))
    yield* at.said("Done.")
    const hung = yield* at.model.awaitRequest(({ userMessages }) => !userMessages.join().includes("⟦turn"))
    yield* Fiber.interrupt(turn)
    assert.strictEqual((yield* at.execute(1)).content, "Second.")
    yield* at.model.awaitGone(hung)
    assert.deepStrictEqual(at.endless(), [])
    assert.lengthOf(yield* at.model.requests, 5)
  })

  test.live("ends before the next turn when its turn is cancelled: commands, sub-agents, and theirs", function* () {
    let left: ReadonlyArray<unknown> | undefined
    const gate = yield* Deferred.make<void>()
    const sub = [leave(endless), after(Deferred.await(gate), run("touch late"))]
    const looked: Stories.Step = () => {
      left = at.endless()
      return ScriptedTurn.text("Second.")
    }
    const at = yield* session(teller, { turns: [[leave(endless), spawn, hang], [looked]], sub })
    const turn = yield* Effect.forkScoped(at.execute(0))
    yield* until(
      () => at.endless().length >= 6,
      () => `Running: ${JSON.stringify(at.endless())}`,
    )
    yield* at.model.awaitRequest(({ toolResults }) => toolResults.some(({ callId }) => callId === "call_sub_0"))
    yield* Fiber.interrupt(turn)
    assert.strictEqual((yield* at.execute(1)).content, "Second.")
    assert.deepStrictEqual(left, [])
    const before = (yield* at.model.requests).length
    yield* Deferred.succeed(gate, undefined)
    yield* at.client.closeSession(at.id)
    yield* gone(at.alive)
    assert.strictEqual((yield* at.model.requests).length, before)
    assert.isFalse(at.has("late"))
  })
})

/** Ends when the last process in the background runs its own program: until then it has the command line of its shell. */
const begun = "until grep -qa ^sleep /proc/$!/cmdline; do :; done"

/** Commands that return at once and leave a process: of their own group, of a session of its own, without a parent. */
const leaving = [
  `nohup sleep 4321 >/dev/null 2>&1 & ${begun}`,
  `setsid sleep 14321 >/dev/null 2>&1 & ${begun}`,
  `(sleep 24321 >/dev/null 2>&1 & ${begun})`,
]
const left = ["sleep 14321", "sleep 24321", "sleep 4321"]

/** Claude Code's own child, which is no work of a turn: a server of its user's configuration. */
const ownServer = (at: Pick<Place, "directory" | "env">) => {
  const server = { command: "sh", args: ["-c", "exec sleep 9876"] }
  writeFileSync(
    join(at.env["CLAUDE_CONFIG_DIR"] ?? "", ".claude.json"),
    JSON.stringify({ mcpServers: { own: server } }),
  )
}

/** A command that ends when its process has left its group. */
const leaves = (line: string) =>
  `setsid sh -c 'touch ready; ${line}' >/dev/null 2>&1 & until [ -e ready ]; do sleep 0.05; done`
const brief = leaves("until [ -e go ]; do sleep 0.05; done")
const daemon = `rm ready; ${leaves("sleep 4321; true")}`

/**
 * What each agent reports of processes that its commands leave.
 *
 * - `waiting`: a command whose process waits
 * - `works`: steps that leave processes, which have the titles `all`; with `background: "off"` those of `off` are left
 * - `finish`: ends the work that `finished` describes
 */
const leavers = [
  ...claudeCode.map((teller) => ({
    teller,
    waiting: `setsid sh -c '${waiting}' >/dev/null 2>&1 &`,
    works: [...leaving.map(run), leave(endless)],
    all: [endless, ...left],
    off: left,
    finish: (at: Running) =>
      Effect.sync(() => {
        for (const one of at.endless()) if (one.command.includes("24321")) OwnProcesses.kill(one)
      }),
    finished: { title: "sleep 24321" },
  })),
  ...tellers
    .filter(({ kind }) => kind === "code")
    .map((teller) => ({
      teller,
      waiting: leaves(waiting.replace("touch", "sleep 1; touch")),
      works: [run(brief), run(daemon)],
      all: [brief, daemon],
      off: [brief, daemon],
      finish: (at: Running) => at.make("go"),
      finished: { kind: "command", title: brief, isError: false },
    })),
]

describe.runIf(process.platform === "linux").each(leavers)(
  "a process that left a command of $teller.agent ($teller.kind)",
  ({ all, finish, finished, off, teller, waiting, works }) => {
    test.live("belongs to the turn of its command, which waits for it", function* () {
      const at = yield* session(teller, { turns: [[run(waiting), say("Done.")]] })
      const hasServer = teller.agent === "claude-code"
      if (hasServer) ownServer(at)
      yield* waits(at)
      const servers = at.alive().filter(({ command }) => command.includes("9876"))
      assert.lengthOf(servers, hasServer ? 1 : 0)
    })

    test.live.each(["wait", "off"] as const)("is ended and listed, with `background: %s`", function* (background) {
      const isOff = background === "off"
      const options = { background, ...(isOff ? {} : { backgroundGrace: "300 millis" }) }
      const at = yield* session(teller, { turns: [[...works, say("Done.")]] }, options)
      const { content, ended } = yield* at.execute(0)
      assert.deepStrictEqual([content, titles(ended)?.toSorted()], ["Done.", (isOff ? off : all).toSorted()])
      assert.deepStrictEqual(at.endless(), [])
    })

    test.live('goes on with `background: "keep"`, is listed, and ends with the session', function* () {
      const turns = [[...works, say("Done.")], [say("Second.")]]
      const at = yield* session(teller, { turns }, { background: "keep" })
      const { pending } = yield* at.execute(0)
      assert.deepStrictEqual(titles(pending)?.toSorted(), all.toSorted())
      assert.strictEqual((yield* at.execute(1)).pending, undefined)
      assert.isAtLeast(at.endless().length, all.length)
      yield* finish(at)
      const ends = () => at.events.filter((event) => event._tag === "BackgroundFinished")
      yield* until(
        () => ends().length > 0,
        () => `No end: ${JSON.stringify(at.events.slice(-5))}`,
      )
      assert.deepInclude(ends()[0], finished)
      assert.isNotEmpty(at.endless())
      yield* at.client.closeSession(at.id)
      assert.deepStrictEqual(at.endless(), [])
    })

    test.live("ends before the next turn when its turn is cancelled", function* () {
      const at = yield* session(teller, { turns: [[...works, hang], [say("Second.")]] })
      const turn = yield* Effect.forkScoped(at.execute(0))
      yield* at.model.awaitRequest(({ toolResults }) => toolResults.length === works.length)
      yield* Fiber.interrupt(turn)
      assert.strictEqual((yield* at.execute(1)).content, "Second.")
      assert.deepStrictEqual(at.endless(), [])
    })
  },
)
