/**
 * The client under test, and what the fault suite needs to know about it.
 */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpProvider } from "@zain/core/McpProvider"
import type { McpTransport } from "@zain/core/McpTransport"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { PeerDialect } from "./peer/Behaviour.ts"

/** Where the misbehaving server is: a command to start, or an address. `env` and `headers` hold a secret. */
export type Place =
  | {
      readonly transport: "stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly transport: "streamable-http" | "sse"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

/**
 * - `name`, `provider`: how the run calls it, and what responses must say
 * - `make`: a fresh client; called once for every fault
 * - `config`: leads to a place. Arguments may be added at the end of a command's; limits are the suite's
 * - `answer`: the `result` of a tool call that this client reads as a good answer. It says `McpClientFaultSuite.answerText`
 *   wherever the answer's own text goes, and the response's `content` must be that text
 * - `dialect`: what the agent's own dialect adds to what the server asks and tells, if it has one
 * - `transports`: those that the client has
 * - `cannot`: the faults that it is excused from, and why; the reason is printed
 */
export interface FaultSubject {
  readonly name: string
  readonly provider: McpProvider
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly config: (place: Place) => McpConnectionConfig
  readonly answer: Readonly<Record<string, unknown>>
  readonly dialect?: PeerDialect
  readonly transports: ReadonlyArray<McpTransport>
  readonly cannot?: Readonly<Record<string, string>>
}

/**
 * Why a subject is no subject: it has no transport, its answer says nothing, or an excuse excuses nothing.
 *
 * @param known the ids of all faults
 */
export const problems = (subject: FaultSubject, known: ReadonlySet<string>, text: string): ReadonlyArray<string> => [
  ...(subject.transports.length === 0 ? ["The subject has no transport."] : []),
  ...(JSON.stringify(subject.answer).includes(text) ? [] : ["`answer` does not hold answerText."]),
  ...Object.entries(subject.cannot ?? {}).flatMap(([id, reason]) => [
    ...(known.has(id) ? [] : [`cannot.${id} excuses nothing: there is no such fault. Remove it.`]),
    ...(reason.trim() === "" ? [`cannot.${id} gives no reason.`] : []),
  ]),
]
