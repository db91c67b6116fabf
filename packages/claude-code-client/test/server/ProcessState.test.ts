import { assert, describe, it } from "vitest"
import * as BackgroundTasks from "../../src/server/BackgroundTasks.ts"
import * as ProcessState from "../../src/server/ProcessState.ts"

type Message = Readonly<Record<string, unknown>>

const init = (...prompts: ReadonlyArray<string>): Message => ({
  ...{ type: "system", subtype: "init", capabilities: ["request_marker_lists_v1"] },
  user_message_uuids: prompts,
})
const result = (...prompts: ReadonlyArray<string>): Message => ({ type: "result", user_message_uuids: prompts })
const said: Message = { type: "assistant" }
const idle: Message = { type: "system", subtype: "session_state_changed", state: "idle" }
const tasks = (...listed: ReadonlyArray<Message>): Message => ({
  ...{ type: "system", subtype: "background_tasks_changed", tasks: listed },
})
const agent: Message = { task_id: "agent", task_type: "local_agent", description: "Look" }
const command: Message = { task_id: "command", task_type: "local_bash", description: "Serve" }
const theirs: Message = { ...command, task_id: "theirs", parent_task_id: "agent" }
const over = (task_id: string, status = "completed"): Message => ({
  ...{ type: "system", subtype: "task_notification", task_id, status },
})
const asking = (agent_id: string): Message => ({ type: "control_request", request: { agent_id } })

/** The turns that messages belong to, and the state after them. A string is the prompt of a turn. */
const play = (...messages: ReadonlyArray<Message | string>) => {
  let state = ProcessState.start
  const turns: Array<string | undefined> = []
  const finished: Array<string> = []
  for (const message of messages) {
    if (typeof message === "string") {
      state = ProcessState.ask(state, message)
      continue
    }
    const step = ProcessState.hear(state, message)
    state = step.state
    turns.push(step.turn)
    finished.push(...step.finished.map(({ isError, turn, work }) => `${turn} ${work.workId} ${isError}`))
  }
  return { state, turns, finished, phase: (turn: string) => ProcessState.phaseOf(state, turn) }
}

describe("the state of a process of Claude Code", () => {
  it("attributes messages to the turn of their prompt, and none after its result", () => {
    const { phase, turns } = play("one", init("one"), said, result("one"), said)
    assert.deepStrictEqual(turns, ["one", "one", "one", undefined])
    assert.strictEqual(phase("one"), "settled")
  })

  it("is over with a turn only when its sub-agent, its commands and the turn about their reports are", () => {
    const begun = ["one", init("one"), tasks(agent, command), result("one")]
    const reported = [...begun, over("agent"), tasks(command), init(), said, result()]
    assert.strictEqual(play(...begun).phase("one"), "working")
    assert.strictEqual(play(...begun, over("agent"), tasks(command)).phase("one"), "due")
    assert.strictEqual(play(...begun, over("agent"), tasks(command), init()).phase("one"), "working")
    assert.strictEqual(play(...reported, idle).phase("one"), "commands")
    assert.strictEqual(play(...reported, idle, over("command", "stopped")).phase("one"), "settled")
    assert.deepStrictEqual(play(...reported).turns.slice(-3), ["one", "one", "one"])
    assert.deepStrictEqual(play(...begun, over("agent"), idle, init(), said).turns.slice(-2), ["one", "one"])
    assert.strictEqual(play(...begun, over("agent", "stopped"), tasks(command)).phase("one"), "due")
  })

  it("is not over between the end of a sub-agent's command and the sub-agent's work on it", () => {
    const left = ["one", init("one"), tasks(agent), result("one"), tasks(agent, theirs), over("agent"), idle]
    for (const status of ["completed", "stopped"]) {
      const ended = [...left, tasks(theirs), over("theirs", status), tasks(), idle]
      assert.strictEqual(play(...ended).phase("one"), "due", status)
      assert.strictEqual(play(...ended, tasks(agent)).phase("one"), "working", status)
      assert.strictEqual(play(...ended, tasks(agent), over("agent"), idle).phase("one"), "settled", status)
    }
    // Its sub-agent still runs.
    assert.strictEqual(
      play("one", init("one"), tasks(agent, theirs), result("one"), over("theirs")).phase("one"),
      "working",
    )
  })

  it("attributes the work and the reports of an earlier turn to that turn, also during a later one", () => {
    const later = ["one", init("one"), tasks(agent), result("one"), "two", init("two")]
    const { finished, phase, state, turns } = play(
      ...later,
      asking("agent"),
      said,
      over("agent"),
      result("two"),
      init(),
    )
    assert.deepStrictEqual(turns.slice(-5), ["one", "two", "one", "two", "one"])
    assert.deepStrictEqual(finished, ["one agent false"])
    assert.deepStrictEqual([phase("one"), phase("two")], ["working", "settled"])
    assert.strictEqual(ProcessState.phaseOf(ProcessState.release(state, "one"), "two"), "settled")
  })

  it("ends with all background work", () => {
    const { state } = play("one", init("one"), tasks(agent, command), over("agent"))
    const { finished, state: end } = ProcessState.ended(state, "exited")
    assert.deepStrictEqual(
      finished.map(({ isError, work }) => [work.workId, isError]),
      [["command", true]],
    )
    assert.isFalse(ProcessState.isUsable(end))
  })
})

describe("the background work of Claude Code", () => {
  const hear = (...messages: ReadonlyArray<Message>) =>
    messages.reduce((all, message) => BackgroundTasks.hear(all, message, "one").tasks, BackgroundTasks.none)
  const uses = (id: string, line: string): Message => ({
    ...{ type: "assistant", message: { content: [{ type: "tool_use", id, input: { command: line } }] } },
  })
  const started = (tool_use_id: string, is_backgrounded: boolean): Message => ({
    ...{ type: "system", subtype: "task_started", ...command, tool_use_id, is_backgrounded },
  })
  const work = { workId: "command", kind: "command" as const, title: "npm start" }

  it("has the command line as its title, also when the command was moved to the background", () => {
    const direct = hear(uses("t", "npm start"), tasks(command), started("t", true))
    const moved = hear(uses("t", "npm start"), started("t", false), tasks(command))
    assert.deepStrictEqual(BackgroundTasks.ofTurn(direct, "one"), [work])
    assert.deepStrictEqual(BackgroundTasks.ofTurn(moved, "one"), [work])
  })

  it("is bounded: command lines without a result, their length, and ids", () => {
    const many = Array.from({ length: 1_100 }, (_, at) => uses(`t${at}`, "x".repeat(10_000)))
    const { lines } = hear(...many)
    assert.strictEqual(lines.size, 1_000)
    assert.isTrue(lines.has("t1099"))
    assert.isAtMost(Math.max(...[...lines.values()].map(({ length }) => length)), 500)
    assert.strictEqual(hear(...many, idle).lines.size, 0)
    const long = { ...command, task_id: "i".repeat(10_000) }
    const listed = hear(tasks(long))
    assert.deepStrictEqual(
      BackgroundTasks.ofTurn(listed, "one").map(({ workId }) => workId.length),
      [200],
    )
    assert.strictEqual(BackgroundTasks.turnOf(listed, long.task_id), "one")
    assert.deepStrictEqual(BackgroundTasks.ofTurn(hear(tasks(long), over(long.task_id)), "one"), [])
    const ofNone = BackgroundTasks.hear(BackgroundTasks.none, tasks(command), undefined).tasks
    const ended = BackgroundTasks.hear(ofNone, over("command"), undefined).tasks
    assert.strictEqual(BackgroundTasks.forget(ended, "one").known.size, 0)
  })

  it("is neither what runs in the foreground nor what Claude Code does for itself", () => {
    const own = { task_id: "memory", task_type: "post_turn_memory", description: "", ambient: true }
    assert.deepStrictEqual(BackgroundTasks.ofTurn(hear(tasks(own), started("t", false)), "one"), [])
  })
})
