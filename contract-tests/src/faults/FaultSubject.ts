/**
 * The client under test, and what the fault suite requires of it.
 */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpProvider } from "@zain/core/McpProvider"
import type { McpTransport } from "@zain/core/McpTransport"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { PeerDialect } from "./peer/Behaviour.ts"

/** Where the misbehaving server is: a command to start, or a URL. */
export type Place =
  | {
      /** The server is a process. */
      readonly transport: "stdio"
      /** The path of Node, which runs the server's script, the first of `args`. */
      readonly command: string
      /** The arguments of the program; `config` may append some. */
      readonly args: ReadonlyArray<string>
      /** Variables that the server requires; one holds the secret that no error may show. */
      readonly env: Readonly<Record<string, string>>
    }
  | {
      /**
       * The server is reached at `url`, over MCP's Streamable HTTP or its older transport, HTTP with SSE; for the fault
       * `refused` none listens there.
       */
      readonly transport: "streamable-http" | "sse"
      /** The address on 127.0.0.1. */
      readonly url: string
      /** Headers that the server requires; one holds the secret that no error may show. */
      readonly headers: Readonly<Record<string, string>>
    }

/** A client under test, and what the suite must know of it to judge how it withstands faults. */
export interface FaultSubject {
  /** The name of the run in titles and reports. */
  readonly name: string
  /** The provider that every response must carry, such as `codex`. */
  readonly provider: McpProvider
  /** Makes a client; run once for every fault. */
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  /**
   * Returns the configuration for a place, without limits, which the suite adds.
   *
   * @param place where the server of one fault is, or the healthy one of the session beside it
   */
  readonly config: (place: Place) => McpConnectionConfig
  /**
   * The `result` of a tool call that the client reads as a good answer. It holds `McpClientFaultSuite.answerText` as the
   * answer's text, and the response's `content` must be that text.
   */
  readonly answer: Readonly<Record<string, unknown>>
  /** What the agent's own dialect adds to the server's questions and events; none by default. */
  readonly dialect?: PeerDialect
  /** The transports that the client supports; at least one. */
  readonly transports: ReadonlyArray<McpTransport>
  /** The ids of the faults from which the client is excused, each with the reason, which is printed. */
  readonly cannot?: Readonly<Record<string, string>>
}

/**
 * Checks a subject before any fault runs.
 *
 * @param subject the client under test
 * @param known the ids of all faults
 * @param text `answerText`, which `answer` must hold
 * @returns one line for each problem; none for a sound subject
 */
export const problems = (subject: FaultSubject, known: ReadonlySet<string>, text: string): ReadonlyArray<string> => [
  ...(subject.transports.length === 0 ? ["The subject has no transport."] : []),
  ...(JSON.stringify(subject.answer).includes(text) ? [] : ["`answer` does not hold answerText."]),
  ...Object.entries(subject.cannot ?? {}).flatMap(([id, reason]) => [
    ...(known.has(id) ? [] : [`cannot.${id} excuses nothing: there is no such fault. Remove it.`]),
    ...(reason.trim() === "" ? [`cannot.${id} gives no reason.`] : []),
  ]),
]
