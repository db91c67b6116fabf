/** Clients with broken sessions, requests or errors. */
import { McpError, SessionFailure } from "@zain/core"
import type { McpSessionId } from "@zain/core/McpSessionId"
import { Effect, Exit } from "effect"
import { closing, executing, opening } from "../../testing/mutants/Override.ts"
import * as Parrot from "../third-party/Parrot.ts"
import { connecting, type Mutant, mutant, taking } from "./Mutant.ts"

const onExecuteError = (change: (error: McpError, id: McpSessionId) => Effect.Effect<never, McpError>) =>
  executing((execute, id, request) => Effect.catch(execute(id, request), (error) => change(error, id)))

export const brokenStates: ReadonlyArray<Mutant> = [
  mutant("reopens a closed session", "state.closed", {
    adapter: (adapter) =>
      executing((execute, id, request) =>
        Effect.catchTag(execute(id, request), "SessionClosed", () =>
          Effect.flatMap(adapter.openSession(Parrot.config), (again) => execute(again, request)),
        ),
      )(adapter),
  }),
  mutant("fails with `SessionNotFound` for a closed session", "state.closed", {
    adapter: onExecuteError((error, id) =>
      Effect.fail(error._tag === "SessionClosed" ? SessionFailure.sessionNotFound(id) : error),
    ),
  }),
  mutant("fails with `SessionClosed` for an unknown session", "state.unknown", {
    adapter: onExecuteError((error, id) =>
      Effect.fail(error._tag === "SessionNotFound" ? SessionFailure.sessionClosed(id) : error),
    ),
  }),
  mutant("accepts a second close", "state.closed", {
    adapter: closing((closeSession, id) => Effect.catchTag(closeSession(id), "SessionClosed", () => Effect.void)),
  }),
  mutant("dies instead of failing", "state.closed", {
    adapter: onExecuteError((error) => Effect.die(error)),
  }),
  mutant("throws instead of failing", "state.unknown", {
    adapter: closing((closeSession, id) =>
      Effect.suspend(() => {
        const exit = Effect.runSyncExit(closeSession(id))
        if (Exit.isFailure(exit)) throw new Error("unexpected state")
        return Effect.void
      }),
    ),
  }),
  mutant("sends an empty prompt", "input.empty", {
    adapter: executing((execute, id, request) => execute(id, { ...request, content: request.content || "\u200b" })),
  }),
  mutant("checks the session before the request", "input.empty-judged-first", {
    adapter: executing((execute, id, request) =>
      Effect.catchTag(execute(id, request), "InvalidRequest", (error) =>
        Effect.andThen(execute(id, { ...request, content: "x" }), Effect.fail(error)),
      ),
    ),
  }),
  mutant("trims its prompts", "input.one-character", {
    adapter: executing((execute, id, request) => execute(id, { ...request, content: request.content.trim() })),
  }),
  mutant("ignores unknown keys of a configuration", "open.malformed", {
    adapter: opening((openSession, { serverUrl, transport, ...rest }) =>
      openSession("no-such-key" in rest ? { serverUrl, transport } : { serverUrl, transport, ...rest }),
    ),
  }),
  mutant("ignores unknown provider options", "open.unknown-option", {
    driver: connecting((connect, config, id) => connect({ ...config, providerOptions: {} }, id)),
  }),
  mutant("numbers its sessions", "open.unique-id", {
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
  }),
  mutant("gives its errors empty messages", "open.unreachable", {
    adapter: opening((openSession, config) =>
      Effect.catchTag(openSession(config), "ConnectionUnavailable", ({ delivery, reason }) =>
        Effect.fail(new McpError.ConnectionUnavailable({ reason, delivery, message: "" })),
      ),
    ),
  }),
  mutant("reports not-sent for every error", "death.mid-turn", {
    adapter: onExecuteError((error) =>
      Effect.fail(
        error._tag === "ConnectionUnavailable"
          ? new McpError.ConnectionUnavailable({ reason: error.reason, message: error.message, delivery: "not-sent" })
          : error,
      ),
    ),
  }),
  mutant("names the wrong provider", "execute.answers", {
    driver: (driver) => ({ ...driver, provider: "cuckoo" }),
  }),
  mutant("hides that a turn failed", "failure.is-error", {
    driver: taking((execute, request, turn) =>
      Effect.map(execute(request, turn), (answer) => ({ ...answer, isError: false })),
    ),
  }),
]
