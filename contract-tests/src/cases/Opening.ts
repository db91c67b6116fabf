/** Cases about `openSession`. */
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import { McpSessionId } from "@zain/core/McpSessionId"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { Bench, casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"

const unknownOption = "no-such-option"

/** A malformed configuration, and the text that the message must hold. */
interface MalformedConfig {
  readonly config: McpConnectionConfig
  readonly path: string
}

const refused = ({ config, path }: MalformedConfig) =>
  Effect.flatMap(Bench, ({ client }) =>
    Expect.fails(client.openSession(config), "InvalidRequest", {
      reason: "invalid-config",
      delivery: "not-sent",
      mentions: path,
    }),
  )

const malformed = (good: McpConnectionConfig): ReadonlyArray<MalformedConfig> => [
  { config: { serverUrl: "", transport: "stdio" }, path: "serverUrl" },
  { config: { ...good, serverUrl: "" }, path: "serverUrl" },
  { config: { ...good, serverUrl: "no URL of any transport" }, path: "serverUrl" },
  { config: { ...good, transport: "carrier-pigeon" as McpTransport }, path: "transport" },
  { config: { ...good, idleTimeout: -1 }, path: "idleTimeout" },
  { config: { ...good, ["no-such-key"]: true } as McpConnectionConfig, path: "no-such-key" },
]

/** Only a process can fail to start, or exit. */
const reasonsOfNoServer = (transport: McpTransport) => [
  ...["not-an-mcp-server", "connect-timeout", "unreachable"],
  ...(transport === "stdio" ? ["spawn-failed", "server-exited"] : []),
]

export const opening = casesOf({
  "open.unique-id": {
    title: "`openSession` MUST return a new random UUID each time",
    verifies: ["1.1", "1.4", "2.1", "3.1", "port.session-id"],
    *run({ open }) {
      const ids = yield* Effect.all([open, open, open], { concurrency: "unbounded" })
      for (const id of ids)
        yield* Expect.that(Schema.is(McpSessionId)(id), `A session id must be a UUID, and is ${id}.`)
      yield* Expect.equal(new Set(ids).size, ids.length, "The number of different ids")
    },
  },
  "open.unreachable": {
    title: "`openSession` MUST fail with `ConnectionUnavailable` when there is no server",
    verifies: ["1.4", "2.3", "3.3", "port.errors", "port.delivery"],
    *run({ client, subject }) {
      const { message } = yield* Expect.fails(client.openSession(subject.unreachable), "ConnectionUnavailable", {
        reason: reasonsOfNoServer(subject.unreachable.transport),
        delivery: "not-sent",
      })
      yield* Expect.that(
        message.split(/\s+/u).length >= 5,
        `The message must hold the failure and the remedy, and is: ${message}`,
      )
    },
  },
  "open.failed-leaves-nothing": {
    title: "a failed `openSession` MUST release everything",
    verifies: ["rule-2.failed-open"],
    needs: ["leftovers"],
    *run({ client, peer, subject }) {
      const before = yield* peer.leftovers
      yield* Expect.fails(client.openSession(subject.unreachable), "ConnectionUnavailable")
      yield* Expect.fails(client.openSession({ ...subject.config, serverUrl: "" }), "InvalidRequest")
      yield* Expect.equal(yield* peer.leftovers, before, "The resources that exist for sessions")
    },
  },
  "open.malformed": {
    title:
      "`openSession` MUST fail with `invalid-config` for a malformed configuration, and the message MUST name the path",
    verifies: ["port.config", "port.errors"],
    *run() {
      yield* Effect.flatMap(Bench, ({ subject }) =>
        Effect.forEach(malformed(subject.config), refused, { discard: true }),
      )
    },
  },
  "open.unknown-option": {
    title: "`openSession` MUST fail with `invalid-config` for an unknown provider option, and the message MUST name it",
    verifies: ["port.config"],
    needs: ["provider-options"],
    *run() {
      yield* Effect.flatMap(Bench, ({ subject: { config } }) =>
        Effect.asVoid(
          refused({
            config: { ...config, providerOptions: { ...config.providerOptions, [unknownOption]: true } },
            path: unknownOption,
          }),
        ),
      )
    },
  },
  "open.silent-server": {
    title: "`openSession` MUST NOT succeed before the handshake is complete",
    verifies: ["rule-2.handshake"],
    needs: ["silent-server"],
    *run({ client, subject }) {
      const silent = { ...(subject.silent ?? subject.config), connectTimeout: 100 }
      yield* Expect.fails(client.openSession(silent), "ConnectionUnavailable", {
        reason: "connect-timeout",
        delivery: "not-sent",
      })
    },
  },
  "open.silent-leaves-nothing": {
    title: "an `openSession` that timed out or was cancelled MUST release everything",
    verifies: ["rule-2.failed-open"],
    needs: ["silent-server", "leftovers"],
    *run({ client, peer, subject }) {
      const before = yield* peer.leftovers
      const silent = subject.silent ?? subject.config
      yield* Expect.fails(client.openSession({ ...silent, connectTimeout: 100 }), "ConnectionUnavailable")
      const fiber = yield* Effect.forkChild(client.openSession(silent), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* Expect.equal(yield* peer.leftovers, before, "The resources that exist for sessions")
    },
  },
})
