/** Clients that are wrong about sessions, requests and errors. */
import { McpError, SessionFailure } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Parrot from "../third-party/Parrot.ts"
import { connections, type Mutant } from "./Mutant.ts"

const onExecuteError =
  (change: (error: McpError, id: McpSessionId) => Effect.Effect<never, McpError>) =>
  (adapter: McpClientAdapter): McpClientAdapter => ({
    ...adapter,
    execute: (id, request) => Effect.catch(adapter.execute(id, request), (error) => change(error, id)),
  })

export const brokenStates: ReadonlyArray<Mutant> = [
  {
    name: "reopens a closed session",
    caughtBy: "state.closed",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) =>
        Effect.catchTag(adapter.execute(id, request), "SessionClosed", () =>
          Effect.flatMap(adapter.openSession(Parrot.config), (again) => adapter.execute(again, request)),
        ),
    }),
  },
  {
    name: "says SessionNotFound of a closed session",
    caughtBy: "state.closed",
    adapter: onExecuteError((error, id) =>
      Effect.fail(error._tag === "SessionClosed" ? SessionFailure.sessionNotFound(id) : error),
    ),
  },
  {
    name: "says SessionClosed of a session that never was",
    caughtBy: "state.unknown",
    adapter: onExecuteError((error, id) =>
      Effect.fail(error._tag === "SessionNotFound" ? SessionFailure.sessionClosed(id) : error),
    ),
  },
  {
    name: "forgives a second close",
    caughtBy: "state.closed",
    adapter: (adapter) => ({
      ...adapter,
      closeSession: (id) => Effect.catchTag(adapter.closeSession(id), "SessionClosed", () => Effect.void),
    }),
  },
  {
    name: "dies instead of failing",
    caughtBy: "state.closed",
    adapter: onExecuteError((error) => Effect.die(error)),
  },
  {
    name: "throws instead of failing",
    caughtBy: "state.unknown",
    adapter: (adapter) => ({
      ...adapter,
      closeSession: (id) =>
        Effect.suspend(() => {
          const exit = Effect.runSyncExit(adapter.closeSession(id))
          if (Exit.isFailure(exit)) throw new Error("unexpected state")
          return Effect.void
        }),
    }),
  },
  {
    name: "sends a prompt of no characters",
    caughtBy: "input.empty",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) => adapter.execute(id, { ...request, content: request.content || "\u200b" }),
    }),
  },
  {
    name: "judges the session before the request",
    caughtBy: "input.empty-judged-first",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) =>
        Effect.catchTag(adapter.execute(id, request), "InvalidRequest", (error) =>
          Effect.andThen(adapter.execute(id, { ...request, content: "x" }), Effect.fail(error)),
        ),
    }),
  },
  {
    name: "trims its prompts",
    caughtBy: "input.one-character",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) => adapter.execute(id, { ...request, content: request.content.trim() }),
    }),
  },
  {
    name: "ignores what it does not know in a configuration",
    caughtBy: "open.malformed",
    adapter: (adapter) => ({
      ...adapter,
      openSession: ({ serverUrl, transport, ...rest }) =>
        adapter.openSession("no-such-key" in rest ? { serverUrl, transport } : { serverUrl, transport, ...rest }),
    }),
  },
  {
    name: "ignores an option that it does not know",
    caughtBy: "open.unknown-option",
    driver: (driver) => ({
      ...driver,
      connect: (config, id) => driver.connect({ ...config, providerOptions: {} }, id),
    }),
  },
  {
    name: "counts its sessions instead of naming them at random",
    caughtBy: "open.unique-id",
    adapter: (adapter) => {
      const ids: Array<McpSessionId> = []
      const real = (id: McpSessionId) => ids[Number(id) - 1] ?? id
      return {
        ...adapter,
        openSession: (config) => Effect.map(adapter.openSession(config), (id) => String(ids.push(id)) as McpSessionId),
        execute: (id, request) => adapter.execute(real(id), request),
        closeSession: (id) => adapter.closeSession(real(id)),
        events: (id) => adapter.events(real(id)),
      }
    },
  },
  {
    name: "says nothing in its errors",
    caughtBy: "open.unreachable",
    adapter: (adapter) => ({
      ...adapter,
      openSession: (config) =>
        Effect.catchTag(adapter.openSession(config), "ConnectionUnavailable", ({ delivery, reason }) =>
          Effect.fail(new McpError.ConnectionUnavailable({ reason, delivery, message: "" })),
        ),
    }),
  },
  {
    name: "calls every retry safe",
    caughtBy: "death.mid-turn",
    adapter: onExecuteError((error) =>
      Effect.fail(
        error._tag === "ConnectionUnavailable"
          ? new McpError.ConnectionUnavailable({ reason: error.reason, message: error.message, delivery: "not-sent" })
          : error,
      ),
    ),
  },
  {
    name: "names the wrong provider",
    caughtBy: "execute.answers",
    driver: (driver) => ({ ...driver, provider: "cuckoo" }),
  },
  {
    name: "hides that a turn failed",
    caughtBy: "failure.is-error",
    driver: connections((connection) => ({
      ...connection,
      execute: (request, turn) =>
        Effect.map(connection.execute(request, turn), (answer) => ({ ...answer, isError: false })),
    })),
  },
]
