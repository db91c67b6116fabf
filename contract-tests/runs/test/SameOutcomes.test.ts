/** Every provider gives the same class of outcome for the same input, by each of its two launch profiles. */
import { assert, describe } from "@effect/vitest"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpError } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import { test } from "../../../packages/core/test/Test.ts"
import { type Agent, agents } from "./Agents.ts"
import * as Served from "./agent-server/Served.ts"

interface Place {
  readonly client: McpClientAdapter
  readonly fake: Pick<FakePeer.InMemory, "config" | "unreachable" | "silent">
}

/** Opens a session and uses it. */
const inSession = (use: (place: Place, session: McpSessionId) => Effect.Effect<unknown, McpError>) => (place: Place) =>
  Effect.flatMap(place.client.openSession(place.fake.config), (session) => use(place, session))

const saying = (content: string) => inSession(({ client }, session) => client.execute(session, { content }))
const doing = (directive: ContractScript.Directive) => saying(ContractScript.prompt(directive))

const afterClose = (use: (client: McpClientAdapter, session: McpSessionId) => Effect.Effect<unknown, McpError>) =>
  inSession(({ client }, session) => Effect.andThen(client.closeSession(session), Effect.asVoid(use(client, session))))

const inputs: ReadonlyArray<
  readonly [input: string, outcome: string, run: (place: Place) => Effect.Effect<unknown, McpError>]
> = [
  ["a prompt of one character", "answers", saying("A")],
  ["a prompt of a space", "answers", saying(" ")],
  ["an empty prompt", "InvalidRequest empty-content", saying("")],
  ["a turn that fails", "is-error", doing({ _tag: "Fail", reason: "no luck" })],
  ["a server that exits", "ConnectionUnavailable server-exited", doing({ _tag: "Exit" })],
  [
    "a missing program",
    "ConnectionUnavailable spawn-failed",
    ({ client, fake }) => client.openSession(fake.unreachable),
  ],
  [
    "a server that never answers the handshake",
    "ConnectionUnavailable connect-timeout",
    ({ client, fake }) => client.openSession({ ...fake.silent, connectTimeout: 50 }),
  ],
  [
    "an unknown option",
    "InvalidRequest invalid-config",
    ({ client, fake }) => client.openSession({ ...fake.config, providerOptions: { flying: true } }),
  ],
  [
    "a session that was never opened",
    "SessionNotFound unknown-session",
    ({ client }) => client.execute(crypto.randomUUID() as string as McpSessionId, { content: "A" }),
  ],
  ["a closed session", "SessionClosed closed", afterClose((client, id) => client.execute(id, { content: "A" }))],
  ["a second close", "SessionClosed closed", afterClose((client, id) => client.closeSession(id))],
]

const outcomeOf = Effect.match({
  onSuccess: (value: unknown) =>
    (value as Partial<McpResponse> | undefined)?.isError === true ? "is-error" : "answers",
  onFailure: ({ _tag, reason }: McpError) => `${_tag} ${reason}`,
})

/** The places of an agent by profile: its own MCP server in memory, and the default, its agent server over stdio. */
const placesOf = Effect.fnUntraced(function* (agent: Agent) {
  const inMemory = FakePeer.inMemory(agent.dialect)
  const served = yield* Served.serve(agent, "stdio")
  return [
    [`${agent.name} native`, { client: yield* agent.native(inMemory), fake: inMemory }],
    [agent.name, { client: yield* agent.make, fake: served }],
  ] as const
})

describe("every provider gives the same class of outcome by each profile", () => {
  test.live.each(inputs)("for %s: %s", function* ([, outcome, run]) {
    const places = (yield* Effect.forEach(agents, placesOf)).flat()
    const outcomes = yield* Effect.forEach(places, ([name, place]) =>
      Effect.map(outcomeOf(run(place)), (seen) => [name, seen] as const),
    )
    assert.deepStrictEqual(
      outcomes,
      places.map(([name]) => [name, outcome] as const),
    )
  })
})
