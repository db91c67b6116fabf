/** Clients that are wrong about conversations: their names, their life beyond a session, and who goes on with them. */
import { McpError } from "@zain/core"
import type { Driver } from "@zain/core/AgentConnection"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Parrot from "../third-party/Parrot.ts"
import { connections, type Mutant } from "./Mutant.ts"

/** A driver whose agents tell other events. */
const telling = (change: (event: McpEventContent) => ReadonlyArray<McpEventContent>) =>
  connections((connection) => ({
    ...connection,
    execute: (request, turn) =>
      connection.execute(request, { ...turn, emit: (event) => change(event).forEach(turn.emit) }),
  }))

/** A driver that opens sessions with other options. */
const opening =
  (change: (options: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) =>
  (driver: Driver): Driver => ({
    ...driver,
    connect: (config, id) => driver.connect({ ...config, providerOptions: change(config.providerOptions) }, id),
  })

const withoutThread = <E extends McpError>({ _tag, delivery, message, reason }: E): McpError =>
  new McpError[_tag]({ delivery, message, reason } as never)

export const brokenThreads: ReadonlyArray<Mutant> = [
  {
    name: "does not say which conversation has begun",
    caughtBy: "threads.started",
    driver: telling((event) => (event._tag === "ThreadStarted" ? [] : [event])),
  },
  {
    name: "names another conversation than its response",
    caughtBy: "threads.started",
    driver: telling((event) => [event._tag === "ThreadStarted" ? { ...event, threadId: "another" } : event]),
  },
  {
    name: "names the conversation after the agent's first word",
    caughtBy: "threads.started",
    driver: (driver) => {
      const late: Array<McpEventContent> = []
      return telling((event) => {
        if (event._tag !== "ThreadStarted") return [event, ...late.splice(0)]
        late.push(event)
        return [{ _tag: "TextDelta", text: "" }]
      })(driver)
    },
  },
  {
    name: "does not name the conversation in an error",
    caughtBy: "threads.errors",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) => Effect.mapError(adapter.execute(id, request), withoutThread),
    }),
  },
  {
    name: "forgets a conversation whose turn was cancelled",
    caughtBy: "threads.cancelled",
    driver: (driver, _, { conversations }) =>
      connections((connection) => ({
        ...connection,
        execute: (request, turn) =>
          Effect.onInterrupt(connection.execute(request, turn), () => Effect.sync(() => conversations.clear())),
      }))(driver),
  },
  {
    name: "forgets a conversation whose server died",
    caughtBy: "threads.death",
    driver: (driver, _, { conversations }) =>
      connections((connection) => ({
        ...connection,
        execute: (request, turn) =>
          Effect.tapError(connection.execute(request, turn), () => Effect.sync(() => conversations.clear())),
      }))(driver),
  },
  {
    name: "starts anew where a conversation is lost",
    caughtBy: "threads.lost",
    driver: (driver, _, { conversations }) =>
      opening((options) => (conversations.has(String(options["threadId"])) ? options : {}))(driver),
  },
  {
    name: "opens a session without its conversation, and says so in the first turn",
    caughtBy: "threads.lost",
    driver: (driver, _, { conversations }) => ({
      ...driver,
      connect: (config, id) =>
        Effect.map(driver.connect({ ...config, providerOptions: {} }, id), (connection) => ({
          ...connection,
          execute: (request, turn) => {
            const { threadId } = config.providerOptions
            if (threadId === undefined || conversations.has(String(threadId))) return connection.execute(request, turn)
            return Effect.succeed({ content: "There is no such conversation.", isError: true })
          },
        })),
    }),
  },
  {
    name: "gives each session of a conversation a memory of its own",
    caughtBy: "threads.queue",
    driver: (driver, _, nest) => ({
      ...driver,
      connect: (config, id) => {
        const asked = String(config.providerOptions["threadId"])
        const known = nest.conversations.get(asked)
        if (known !== undefined) nest.conversations.set(asked, { ...known, heard: [...known.heard] })
        return driver.connect(config, id)
      },
    }),
  },
  {
    name: "lets two clients go on with one conversation",
    caughtBy: "threads.held",
    driver: (_, __, nest) => Parrot.driver(nest, nest),
  },
  {
    name: "holds a conversation for good",
    caughtBy: "threads.held",
    driver: (driver, _, { conversations }) => ({
      ...driver,
      connect: (config, id) =>
        Effect.tap(driver.connect(config, id), () =>
          Effect.sync(() => {
            for (const { sessions } of conversations.values()) sessions.add({})
          }),
        ),
    }),
  },
  {
    name: "settles before its readers have the last events",
    caughtBy: "events.all",
    adapter: (adapter) => ({
      ...adapter,
      events: (id) => Stream.tap(adapter.events(id), () => Effect.repeat(Effect.yieldNow, { times: 50 })),
    }),
  },
]
