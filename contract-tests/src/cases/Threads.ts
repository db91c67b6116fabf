/** Cases about conversations that outlive their sessions. */
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { Bench, casesOf } from "../ContractCase.ts"
import * as EventRecording from "../EventRecording.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recall } from "../Recall.ts"

/** Returns the configuration that continues a thread. */
const resuming = (threadId: string) =>
  Effect.flatMap(Bench, ({ subject: { config, resume } }) => Effect.succeed(resume?.(threadId) ?? config))

/** Reads events until `ThreadStarted`; the inner effect returns the `threadId`. */
const started = Effect.fnUntraced(function* (session: McpSessionId) {
  const { client } = yield* Bench
  const known = yield* Deferred.make<string>()
  yield* Effect.forkChild(
    Stream.runForEach(client.events(session), (event) =>
      event._tag === "ThreadStarted" ? Deferred.succeed(known, event.threadId) : Effect.void,
    ),
    { startImmediately: true },
  )
  return Deferred.await(known)
})

/** Starts a conversation with a prompt that is never answered; returns session, `threadId` and the prompt's key. */
const unanswered = Effect.gen(function* () {
  const { open } = yield* Bench
  const session = yield* open
  const thread = yield* started(session)
  const turn = yield* HeldTurn.hold(session)
  const threadId = yield* Effect.timeoutOrElse(thread, {
    duration: "30 seconds",
    orElse: () =>
      Expect.violation(
        "`ThreadStarted` must be emitted before the answer: does `heard` of the session return the thread?",
      ),
  })
  return { ...turn, session, threadId }
})

/** Demands that a session opens with this configuration, and that its agent remembers these prompts. */
const remembers = Effect.fnUntraced(function* (config: McpConnectionConfig, keys: ReadonlyArray<string>) {
  const { client } = yield* Bench
  const session = yield* client.openSession(config)
  const known = yield* recall(session)
  yield* Expect.equal(
    known.filter((key) => keys.includes(key)),
    keys,
    "The prompts that the agent remembers",
  )
  yield* client.closeSession(session)
})

const say = Effect.fnUntraced(function* (session: McpSessionId, text: string) {
  const { client, prompt } = yield* Bench
  const { content, key } = prompt({ _tag: "Say", text })
  return { key, answer: yield* client.execute(session, { content }) }
})

export const threads = casesOf({
  "threads.started": {
    title:
      "`ThreadStarted` MUST be emitted once, before the agent's first text, with the `threadId` of the response (promise 31)",
    crossesWire: true,
    verifies: ["thread.started", "rule-7.order"],
    needs: ["resume"],
    *run({ open }) {
      const session = yield* open
      const { events } = yield* EventRecording.start(session)
      const { answer } = yield* say(session, "hello")
      const named = events.filter((event) => event._tag === "ThreadStarted")
      yield* Expect.equal(
        named.map(({ threadId }) => threadId),
        [answer.threadId],
        "The threadId of ThreadStarted",
      )
      const words = events.findIndex(({ _tag }) => _tag === "TextDelta" || _tag === "Message")
      const at = events.findIndex(({ _tag }) => _tag === "ThreadStarted")
      yield* Expect.that(words < 0 || at < words, "ThreadStarted must be emitted before the agent's first text.")
    },
  },
  "threads.errors": {
    title: "an error after `ThreadStarted` MUST carry the `threadId`",
    verifies: ["thread.errors"],
    needs: ["observe", "resume"],
    *run({ client }) {
      const { fiber, session, threadId } = yield* unanswered
      yield* client.closeSession(session)
      const ended = yield* Expect.fails(Fiber.join(fiber), "SessionClosed")
      yield* Expect.equal(ended.threadId, threadId, "threadId of the turn's error")
      const closed = yield* Expect.fails(say(session, "too late"), "SessionClosed")
      yield* Expect.equal(closed.threadId, threadId, "threadId of an error in the closed session")
    },
  },
  "threads.cancelled": {
    title: "a later session MUST continue a conversation whose first turn was cancelled",
    verifies: ["thread.resume"],
    needs: ["observe", "resume"],
    *run({ client }) {
      const { fiber, key, session, threadId } = yield* unanswered
      yield* Fiber.interrupt(fiber)
      yield* client.closeSession(session)
      yield* remembers(yield* resuming(threadId), [key])
    },
  },
  "threads.death": {
    title: "a later session MUST continue a conversation whose server exited in the middle of a turn",
    crossesWire: true,
    verifies: ["thread.resume", "thread.errors"],
    needs: ["peer-death", "resume"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const first = yield* say(session, "first")
      const { threadId = "" } = first.answer
      const { content, key } = prompt({ _tag: "Exit" })
      const error = yield* Expect.fails(client.execute(session, { content }), "ConnectionUnavailable")
      yield* Expect.equal(error.threadId, threadId, "threadId of the error")
      yield* Effect.ignore(client.closeSession(session))
      yield* remembers(yield* resuming(threadId), [first.key, key])
    },
  },
  "threads.lost": {
    title: "`openSession` MUST fail with `conversation-lost`, not sent, for a thread that the agent does not have",
    crossesWire: true,
    verifies: ["thread.lost", "rule-2.failed-open"],
    needs: ["observe", "resume", "unknown-thread"],
    *run({ client, peer }) {
      const before = yield* peer.count("")
      for (const threadId of ["00000000-0000-4000-8000-000000000000", "no such thread"]) {
        yield* Expect.fails(client.openSession(yield* resuming(threadId)), "SessionClosed", {
          reason: "conversation-lost",
          delivery: "not-sent",
        })
      }
      yield* Expect.equal(yield* peer.count(""), before, "The number of prompts that reached the agent")
    },
  },
  "threads.unknown": {
    title:
      "a session with a thread that the agent does not have MUST fail with `conversation-lost`, not sent, in its first turn at the latest",
    verifies: ["thread.unknown"],
    needs: ["resume"],
    *run({ client }) {
      const attempt = Effect.flatMap(resuming("00000000-0000-4000-8000-000000000000"), (config) =>
        Effect.flatMap(client.openSession(config), (session) => say(session, "hello")),
      )
      yield* Expect.fails(attempt, "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
    },
  },
  "threads.queue": {
    title:
      "turns of one client's sessions in one conversation MUST run one after the other, each with the turns before it",
    verifies: ["thread.one-writer"],
    needs: ["resume"],
    *run({ client, open }) {
      const first = yield* open
      const one = yield* say(first, "one")
      const second = yield* client.openSession(yield* resuming(one.answer.threadId ?? ""))
      const [two, three] = yield* Effect.all([say(first, "two"), say(second, "three")], { concurrency: 2 })
      const four = yield* say(first, "four")
      const known = yield* recall(second)
      yield* Expect.equal(
        [one, two, three, four].map(({ key }) => known.includes(key)),
        [true, true, true, true],
        "Which prompts of both sessions the agent remembers",
      )
    },
  },
  "threads.held": {
    title:
      "a conversation MUST be refused, not sent, while another client's server holds it, and MUST be free after its close (promise 32)",
    crossesWire: true,
    verifies: ["thread.one-writer"],
    needs: ["elsewhere", "observe", "resume"],
    *run({ client, open, peer, prompt, subject }) {
      const session = yield* open
      const { answer, key } = yield* say(session, "mine")
      const elsewhere = subject.elsewhere?.(answer.threadId ?? "") ?? subject.config
      const other = yield* subject.make
      const late = prompt({ _tag: "Say", text: "late" })
      const attempt = Effect.flatMap(other.openSession(elsewhere), (id) => other.execute(id, { content: late.content }))
      yield* Expect.fails(attempt, "InvalidRequest", { reason: "rejected-by-server", delivery: "not-sent" })
      yield* Expect.equal(yield* peer.count(late.key), 0, "How often the prompt reached the agent")
      yield* client.closeSession(session)
      const bench = yield* Bench
      yield* Effect.provideService(remembers(elsewhere, [key]), Bench, { ...bench, client: other })
    },
  },
})
