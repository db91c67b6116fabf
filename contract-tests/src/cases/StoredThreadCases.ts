/** Cases about `threads`: the conversations that an agent has stored. */
import type { McpSessionId } from "@zain/core/McpSessionId"
import type { McpThread, McpThreadPage, McpThreadTurns } from "@zain/core/McpThreads"
import * as Effect from "effect/Effect"
import { Bench, casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import { recall, untilFree } from "../Recall.ts"

/** Executes a prompt with an answer. */
const say = Effect.fnUntraced(function* (session: McpSessionId, text: string) {
  const { client, prompt } = yield* Bench
  const { content, key } = prompt({ _tag: "Say", text })
  const { threadId = "" } = yield* client.execute(session, { content })
  return { content, key, text, threadId }
})

/** Lists threads, page after page, until these have been found. */
const found = Effect.fnUntraced(function* (session: McpSessionId, ids: ReadonlyArray<string>, archived = false) {
  const { client } = yield* Bench
  const threads: Array<McpThread> = []
  let cursor: { readonly cursor?: string } | undefined = {}
  while (cursor !== undefined && threads.length < ids.length) {
    const page: McpThreadPage = yield* client.threads.list(session, { archived, limit: 1, ...cursor })
    yield* Expect.that(page.threads.length <= 1, "A page must have at most `limit` threads.")
    threads.push(...page.threads.filter(({ threadId }) => ids.includes(threadId)))
    cursor = page.next === undefined ? undefined : { cursor: page.next }
  }
  return threads
})

/** The turns of a thread, read one by one: the prompt, the last message, and the id of each. */
const turnsOf = Effect.fnUntraced(function* (session: McpSessionId, threadId: string) {
  const { client } = yield* Bench
  const turns: Array<{ readonly prompt: string; readonly text: string | undefined; readonly turn: string }> = []
  let cursor: { readonly cursor?: string } | undefined = {}
  while (cursor !== undefined) {
    const page: McpThreadTurns = yield* client.threads.read(session, threadId, { limit: 1, ...cursor })
    for (const { events, prompt, turn } of page.turns) {
      const texts = events.flatMap((event) => (event._tag === "Message" ? [event.text] : []))
      turns.push({ prompt, text: texts.at(-1), turn })
    }
    cursor = page.next === undefined ? undefined : { cursor: page.next }
  }
  return turns
})

const lost = { reason: "conversation-lost", delivery: "not-sent" } as const
const unknown = "00000000-0000-4000-8000-000000000000"

export const stored = casesOf({
  "stored.list": {
    title:
      "`threads.list` MUST have the threads of finished turns page by page, those that changed last first, each with its first prompt and its directory",
    crossesWire: true,
    verifies: ["threads.stored"],
    needs: ["resume"],
    *run({ client, open }) {
      if (client.supports.threads !== true) return
      const session = yield* open
      const one = yield* say(session, "one")
      yield* say(session, "more")
      const two = yield* say(yield* open, "two")
      const threads = yield* found(session, [one.threadId, two.threadId])
      yield* Expect.equal(
        threads.map(({ firstPrompt = "", threadId }) => [
          threadId,
          firstPrompt.includes(threadId === one.threadId ? one.key : two.key),
        ]),
        [
          [two.threadId, true],
          [one.threadId, true],
        ],
        "The threads, and whether each has its first prompt",
      )
      const [{ cwd } = { cwd: "" }] = threads
      const here = yield* client.threads.list(session, { cwd })
      yield* Expect.that(
        here.threads.some(({ threadId }) => threadId === two.threadId),
        `The list of ${cwd} must have the thread that began there.`,
      )
      const elsewhere = yield* client.threads.list(session, { cwd: `${cwd}/nowhere` })
      yield* Expect.equal(elsewhere.threads.length, 0, "The number of threads of a directory without one")
    },
  },
  "stored.read": {
    title: "`threads.read` MUST return the prompts and answers of a thread page by page, oldest first",
    crossesWire: true,
    verifies: ["threads.stored"],
    needs: ["resume"],
    *run({ client, open }) {
      if (client.supports.threads !== true) return
      const session = yield* open
      const [one, two] = [yield* say(session, "one"), yield* say(session, "two")]
      const turns = yield* turnsOf(session, one.threadId)
      yield* Expect.equal(
        turns.map(({ prompt, text }) => [prompt, text]),
        [one, two].map(({ content, text }) => [content, text]),
        "The prompts and answers",
      )
    },
  },
  "stored.fork": {
    title:
      "a fork MUST remember the turns up to its own, also in a session, and its turns MUST NOT appear in its origin",
    crossesWire: true,
    verifies: ["threads.stored"],
    needs: ["resume"],
    *run({ client, open, subject }) {
      if (client.supports.threads !== true) return
      const session = yield* open
      const [one, two] = [yield* say(session, "one"), yield* say(session, "two")]
      const [first] = yield* turnsOf(session, one.threadId)
      const fork = yield* client.threads.fork(session, one.threadId, { turn: first?.turn ?? "" })
      const whole = yield* client.threads.fork(session, one.threadId)
      yield* Expect.that(new Set([fork, whole, one.threadId]).size === 3, "Each fork must be a thread of its own.")
      const prompts = (threadId: string) =>
        Effect.map(turnsOf(session, threadId), (turns) => turns.map(({ prompt }) => prompt))
      yield* Expect.equal(yield* prompts(fork), [one.content], "The prompts of a fork at the first turn")
      yield* Expect.equal(yield* prompts(whole), [one.content, two.content], "The prompts of a whole fork")
      const forked = yield* client.openSession(subject.resume?.(fork) ?? subject.config)
      const known = yield* recall(forked)
      yield* Expect.equal(known, [one.key], "The prompts that the fork remembers")
      const three = yield* say(forked, "three")
      yield* Expect.equal(three.threadId, fork, "The thread of the fork's session")
      yield* client.closeSession(forked)
      yield* Expect.equal(yield* prompts(one.threadId), [one.content, two.content], "The prompts of the origin")
    },
  },
  "stored.changed": {
    title:
      "a title of `threads.rename` MUST appear in the list, and an archived thread only in that of the archive, until it is unarchived",
    verifies: ["threads.stored"],
    needs: ["resume"],
    *run({ client, open }) {
      if (client.supports.threads !== true) return
      const session = yield* open
      const other = yield* open
      const { threadId } = yield* say(other, "one")
      yield* client.closeSession(other)
      const titles = (archived: boolean) =>
        Effect.map(found(session, [threadId], archived), (threads) => threads.map(({ title }) => title))
      yield* client.threads.rename(session, threadId, "A title 🐛")
      yield* Expect.equal(yield* titles(false), ["A title 🐛"], "The title")
      yield* client.threads.archive(session, threadId)
      yield* Expect.equal(yield* titles(false), [], "The titles after `archive`")
      yield* Expect.equal(yield* titles(true), ["A title 🐛"], "The titles of the archive")
      yield* client.threads.unarchive(session, threadId)
      yield* Expect.equal(yield* titles(false), ["A title 🐛"], "The titles after `unarchive`")
      yield* Expect.equal(yield* titles(true), [], "The titles of the archive after `unarchive`")
    },
  },
  "stored.deleted": {
    title:
      "a deleted thread, and one that the agent never had, MUST be `conversation-lost` in every operation and in `openSession`",
    verifies: ["threads.stored", "thread.unknown"],
    needs: ["resume"],
    *run({ client, open, subject }) {
      if (client.supports.threads !== true) return
      const { archive, delete: remove, fork, read, rename, unarchive } = client.threads
      const session = yield* open
      const { threadId } = yield* say(session, "one")
      yield* remove(session, threadId)
      for (const gone of [threadId, unknown, "no such thread"]) {
        for (const operation of [read, fork, archive, unarchive, remove]) {
          yield* Expect.fails(operation(session, gone), "SessionClosed", lost)
        }
        yield* Expect.fails(rename(session, gone, "title"), "SessionClosed", lost)
      }
      yield* Expect.equal(yield* found(session, [threadId]), [], "The deleted thread in the list")
      yield* Expect.fails(say(session, "late"), "SessionClosed", { reason: "conversation-lost" })
      const resumed = Effect.flatMap(client.openSession(subject.resume?.(threadId) ?? subject.config), (again) =>
        say(again, "late"),
      )
      yield* Expect.fails(resumed, "SessionClosed", lost)
    },
  },
  "stored.held": {
    title: "`threads` MUST refuse to change or delete a thread while another client's server holds it",
    verifies: ["threads.stored", "thread.one-writer"],
    needs: ["elsewhere", "resume"],
    *run({ client, open, subject }) {
      if (client.supports.threads !== true) return
      const session = yield* open
      const { threadId } = yield* say(session, "mine")
      const free = yield* open
      const free2 = yield* say(free, "free")
      yield* client.closeSession(free)
      const other = yield* subject.make
      const theirs = yield* other.openSession(subject.elsewhere?.(free2.threadId) ?? subject.config)
      const held = { reason: "rejected-by-server", delivery: "not-sent" } as const
      yield* Expect.fails(other.threads.delete(theirs, threadId), "InvalidRequest", held)
      yield* Expect.fails(other.threads.rename(theirs, threadId, "title"), "InvalidRequest", held)
      yield* client.closeSession(session)
      yield* Effect.retry(other.threads.delete(theirs, threadId), untilFree)
      yield* Expect.fails(other.threads.read(theirs, threadId), "SessionClosed", lost)
    },
  },
  "stored.refused": {
    title:
      "`threads` MUST be `not-supported` for an agent without access to its stored conversations, and `invalid-config` for wrong arguments",
    verifies: ["threads.stored"],
    *run({ client: { closeSession, supports, threads }, open }) {
      const session = yield* open
      const refused = (work: Effect.Effect<unknown, unknown>) =>
        Expect.fails(work, "InvalidRequest", {
          reason: supports.threads === true ? "invalid-config" : "not-supported",
          delivery: "not-sent",
        })
      yield* refused(threads.list(session, { limit: 0 }))
      yield* refused(threads.list(session, { limit: 101 }))
      yield* refused(threads.read(session, unknown, { limit: 17 }))
      yield* refused(threads.rename(session, unknown, " "))
      yield* refused(threads.delete(session, ""))
      const never = crypto.randomUUID() as string as McpSessionId
      yield* Expect.fails(threads.list(never), "SessionNotFound", { reason: "unknown-session" })
      yield* closeSession(session)
      yield* Expect.fails(threads.list(session), "SessionClosed", { reason: "closed", delivery: "not-sent" })
    },
  },
})
