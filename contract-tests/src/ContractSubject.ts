/**
 * The client under test, and what the suite needs to know about it.
 */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpProvider } from "@zain/core/McpProvider"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { PeerObservation } from "./PeerObservation.ts"

/** What some cases need and not every subject has. The value says what it is, for people. */
export const capabilities = {
  observe: "`peer`: the prompts that reach the agent can be seen",
  "observe-cancel": "`peer.cancelled`: whether the server was told of a cancel can be seen",
  leftovers: "`peer.leftovers`: what a session leaves behind can be seen",
  "silent-server": "`silent`: a server that never answers the handshake can be reached",
  "provider-options": "the adapter reads `providerOptions`, and refuses a key that it does not know",
  "turn-failure": "the agent can be told to fail a turn",
  "peer-death": "the agent's server can be told to die in the middle of a turn",
  resume: "`resume`: a later session can go on with a conversation",
  elsewhere: "`elsewhere`: another server, with the same agent's conversations, can be asked to go on with one",
  events: "the agent tells events while it works",
  approvals: "the agent can be told to ask before it acts, and waits for the answer",
  changes: "the agent can be told to ask before it writes a file, and says what it writes",
  reasons: "an agent that is declined receives the reason",
  tools: "the agent tells which tools it uses, and when each is done",
  usage: "the agent tells how many tokens a turn has used",
} as const
export type Capability = keyof typeof capabilities

/**
 * - `name`: how the run calls it
 * - `provider`: what responses must say
 * - `make`: a fresh client; called once for every case. Cases about approvals run it where a policy of theirs is
 *   provided as core's `McpApproval`, which a client reads when it is made
 * - `config`: opens a session with an agent that follows `ContractScript`
 * - `unreachable`: leads to no server
 * - `silent`: leads to a server that never answers the handshake
 * - `resume`: `config`, going on with this thread
 * - `elsewhere`: the same, with a server that is not the one of an open session
 * - `peer`: what the agent's side saw
 * - `cannot`: what this subject is excused from, and why. The reason is printed wherever a case is skipped for it
 */
export interface ContractSubject {
  readonly name: string
  readonly provider: McpProvider
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly config: McpConnectionConfig
  readonly unreachable: McpConnectionConfig
  readonly silent?: McpConnectionConfig
  readonly resume?: (threadId: string) => McpConnectionConfig
  readonly elsewhere?: (threadId: string) => McpConnectionConfig
  readonly peer?: PeerObservation
  readonly cannot?: Readonly<Partial<Record<Capability, string>>>
}

const given = (subject: ContractSubject): Readonly<Partial<Record<Capability, boolean>>> => ({
  observe: subject.peer !== undefined,
  "observe-cancel": subject.peer?.cancelled !== undefined,
  leftovers: subject.peer?.leftovers !== undefined,
  "silent-server": subject.silent !== undefined,
  resume: subject.resume !== undefined,
  elsewhere: subject.elsewhere !== undefined,
})

/**
 * Why a subject is no subject: something is missing without a reason, or an excuse excuses nothing.
 *
 * @param needed the capabilities that at least one case needs
 * @returns one line for each problem; none for a sound subject
 */
export const problems = (subject: ContractSubject, needed: ReadonlySet<string>): ReadonlyArray<string> => {
  const cannot: Readonly<Record<string, string | undefined>> = subject.cannot ?? {}
  const found: Array<string> = []
  for (const [capability, reason] of Object.entries(cannot)) {
    if (!needed.has(capability)) found.push(`cannot.${capability} excludes nothing: no case needs it. Remove it.`)
    else if (reason === undefined || reason.trim() === "") found.push(`cannot.${capability} gives no reason.`)
  }
  for (const [capability, isGiven] of Object.entries(given(subject))) {
    const excused = cannot[capability] !== undefined
    const what = capabilities[capability as Capability]
    if (isGiven && excused) found.push(`cannot.${capability} contradicts the subject, which has it: ${what}.`)
    if (!isGiven && !excused) found.push(`Missing: ${what}. Give it, or say why not in cannot.${capability}.`)
  }
  return found
}
