/** Clients whose `threads` is broken. */
import { Effect } from "effect"
import { storing } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant } from "./Mutant.ts"

export const brokenStored: ReadonlyArray<Mutant> = [
  mutant("lists threads oldest first", "stored.list", {
    adapter: storing(({ list }) => ({
      list: (session, query) =>
        Effect.map(list(session, { ...query, limit: 100, cursor: "0" }), ({ threads }) => {
          const from = Number(query?.cursor ?? 0)
          const [one] = threads.toReversed().slice(from)
          return one === undefined ? { threads: [] } : { threads: [one], next: String(from + 1) }
        }),
    })),
  }),
  mutant("lists threads of every directory", "stored.list", {
    adapter: storing(({ list }) => ({ list: (session, { cwd: _, ...query } = {}) => list(session, query) })),
  }),
  mutant("reads only answers", "stored.read", {
    adapter: storing(({ read }) => ({
      read: (session, threadId, query) =>
        Effect.map(read(session, threadId, query), ({ turns, ...page }) => ({
          ...page,
          turns: turns.map((turn) => ({ ...turn, prompt: "" })),
        })),
    })),
  }),
  mutant("forks into the thread itself", "stored.fork", {
    adapter: storing(() => ({ fork: (_session, threadId) => Effect.succeed(threadId) })),
  }),
  mutant("forks at the end always", "stored.fork", {
    adapter: storing(({ fork }) => ({ fork: (session, threadId) => fork(session, threadId) })),
  }),
  mutant("shares a fork's turns with its origin", "stored.fork", {
    driver: (driver, { conversations }) => ({
      ...driver,
      connect: (config, id, trace) => {
        const fork = conversations.get(String(config.providerOptions["threadId"]))
        const origin = [...conversations.values()].find(({ turns }) => turns[0] === fork?.turns[0])
        if (fork === undefined || origin === undefined || origin === fork) return driver.connect(config, id, trace)
        return Effect.tap(driver.connect(config, id, trace), () =>
          Effect.sync(() => void origin.turns.push({ turn: "shared", prompt: "shared", events: [] })),
        )
      },
    }),
  }),
  mutant("forgets titles", "stored.changed", { adapter: storing(() => ({ rename: () => Effect.void })) }),
  mutant("lists archived threads", "stored.changed", { adapter: storing(() => ({ archive: () => Effect.void })) }),
  mutant("archives for good", "stored.changed", { adapter: storing(() => ({ unarchive: () => Effect.void })) }),
  mutant("archives instead of deleting", "stored.deleted", {
    adapter: storing(({ archive }) => ({ delete: archive })),
  }),
  mutant("changes threads that another client holds", "stored.held", {
    driver: (driver, { conversations }) => ({
      ...driver,
      connect: (config, id, trace) =>
        Effect.map(driver.connect(config, id, trace), ({ threads, ...connection }) => ({
          ...connection,
          threads: threads && {
            ...threads,
            change: (threadId, change) => {
              conversations.get(threadId)?.sessions.clear()
              return threads.change(threadId, change)
            },
          },
        })),
    }),
  }),
  mutant("accepts a blank title", "stored.refused", {
    adapter: storing(({ rename }) => ({
      rename: (session, threadId, title) => rename(session, threadId, title.trim() === "" ? "untitled" : title),
    })),
  }),
]
