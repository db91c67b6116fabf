/** Clients with broken conversations: their ids, their life beyond a session, and their one writer. */
import { McpError } from "@zain/core"
import type { McpEventContent } from "@zain/core/McpEvents"
import { Effect, Stream } from "effect"
import { executing, reading } from "../../testing/mutants/Override.ts"
import * as Parrot from "../third-party/Parrot.ts"
import { connecting, type Mutant, mutant, taking } from "./Mutant.ts"

/** Changes the events of a driver's agents. */
const telling = (change: (event: McpEventContent) => ReadonlyArray<McpEventContent>) =>
  taking((execute, request, turn) => execute(request, { ...turn, emit: (event) => change(event).forEach(turn.emit) }))

const withoutThread = <E extends McpError>({ _tag, delivery, message, reason }: E): McpError =>
  new McpError[_tag]({ delivery, message, reason } as never)

export const brokenThreads: ReadonlyArray<Mutant> = [
  mutant("does not emit `ThreadStarted`", "threads.started", {
    driver: telling((event) => (event._tag === "ThreadStarted" ? [] : [event])),
  }),
  mutant("emits another thread than its response carries", "threads.started", {
    driver: telling((event) => [event._tag === "ThreadStarted" ? { ...event, threadId: "another" } : event]),
  }),
  mutant("emits `ThreadStarted` after the agent's first text", "threads.started", {
    driver: (driver, nest) => {
      const late: Array<McpEventContent> = []
      return telling((event) => {
        if (event._tag !== "ThreadStarted") return [event, ...late.splice(0)]
        late.push(event)
        return [{ _tag: "TextDelta", text: "" }]
      })(driver, nest)
    },
  }),
  mutant("omits `threadId` from errors", "threads.errors", {
    adapter: executing((execute, id, request) => Effect.mapError(execute(id, request), withoutThread)),
  }),
  mutant("forgets a conversation whose turn was cancelled", "threads.cancelled", {
    driver: taking((execute, request, turn, { conversations }) =>
      Effect.onInterrupt(execute(request, turn), () => Effect.sync(() => conversations.clear())),
    ),
  }),
  mutant("forgets a conversation whose server died", "threads.death", {
    driver: taking((execute, request, turn, { conversations }) =>
      Effect.tapError(execute(request, turn), () => Effect.sync(() => conversations.clear())),
    ),
  }),
  mutant("starts a new conversation for an unknown thread", "threads.unknown", {
    driver: connecting((connect, config, id, { conversations }) => {
      const isKnown = conversations.has(String(config.providerOptions["threadId"]))
      return connect(isKnown ? config : { ...config, providerOptions: {} }, id)
    }),
  }),
  mutant("opens a session for an unknown thread, and fails in the first turn", "threads.lost", {
    driver: connecting((connect, config, id, { conversations }) =>
      Effect.map(connect({ ...config, providerOptions: {} }, id), (connection) => ({
        ...connection,
        execute: (request, turn) => {
          const { threadId } = config.providerOptions
          if (threadId === undefined || conversations.has(String(threadId))) return connection.execute(request, turn)
          return Effect.succeed({ content: "There is no such conversation.", isError: true })
        },
      })),
    ),
  }),
  mutant("gives each session of a conversation a memory of its own", "threads.queue", {
    driver: connecting((connect, config, id, { conversations }) => {
      const asked = String(config.providerOptions["threadId"])
      const known = conversations.get(asked)
      if (known !== undefined) conversations.set(asked, { ...known, heard: [...known.heard] })
      return connect(config, id)
    }),
  }),
  mutant("lets two clients continue one conversation", "threads.held", {
    driver: (_, nest) => Parrot.driver(nest, nest),
  }),
  mutant("never releases a conversation", "threads.held", {
    driver: connecting((connect, config, id, { conversations }) =>
      Effect.tap(connect(config, id), () =>
        Effect.sync(() => {
          for (const { sessions } of conversations.values()) sessions.add({})
        }),
      ),
    ),
  }),
  mutant("returns before its readers have the last events", "events.all", {
    adapter: reading((events, id) => Stream.tap(events(id), () => Effect.repeat(Effect.yieldNow, { times: 50 }))),
  }),
]
