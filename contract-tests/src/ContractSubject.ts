/**
 * The client under test, and what the contract suite requires of it.
 */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpProvider } from "@zain/core/McpProvider"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { PeerObservation } from "./PeerObservation.ts"

/**
 * Every capability that a case may need and a client under test may lack, such as `resume`: its name, and the sentence
 * that describes it in messages and in `--help` of `zain-contract-gate`.
 */
export const capabilities = {
  /** Required by cases that wait for a prompt to reach the agent, or count prompts. */
  observe: "`peer`: the prompts that reach the agent can be observed",
  /** Required by cases that demand `notifications/cancelled`, or its equivalent, at the server. */
  "observe-cancel": "`peer.cancelled`: whether a cancel reaches the server can be observed",
  /** Required by cases that demand that no process, socket or file of a session remains. */
  leftovers: "`peer.leftovers`: what a session leaves behind can be observed",
  /** Required by cases about `connectTimeout` and about an open that is cancelled. */
  "silent-server": "`silent`: a server that never answers the handshake can be reached",
  /** Required by cases that demand `invalid-config` for an unknown provider option. */
  "provider-options": "the adapter reads `providerOptions`, and rejects an unknown key",
  /** Required by cases with the directive `Fail`. */
  "turn-failure": "the agent can be made to fail a turn",
  /** Required by cases with the directive `Exit`. */
  "peer-death": "the agent's server can be made to exit in the middle of a turn",
  /** Required by cases about a conversation that outlives its session. */
  resume: "`resume`: a later session can continue a conversation, which the agent names before it answers",
  /** Required by the case that opens a session with a `threadId` that the agent does not have, which must fail. */
  "unknown-thread": "an unknown `threadId` is rejected when a session opens",
  /** Required by the case about two servers and one conversation: the second refuses it while the first holds it. */
  elsewhere: "`elsewhere`: a second server, which refuses a conversation that another one holds, can be reached",
  /** Required by cases with the directive `Events`. */
  events: "the agent emits events while it works",
  /** Required by cases with the directive `Approve`, and by those about `tools`, which use the same command. */
  approvals: "the agent can be made to request an approval before it acts, and waits for the decision",
  /** Required by cases with the directive `Change`. */
  changes: "the agent can be made to request an approval before it writes a file, and reports what it writes",
  /** Required by cases with the directive `Background`. */
  background: "the agent can be made to start a sub-agent that works on after its answer, and the client observes it",
  /** Required by cases that look for the reason of a decline in the agent's answer. */
  reasons: "an agent that is declined receives the reason",
  /** Required by cases about `ToolStarted` and `ToolFinished`. */
  tools: "the agent reports which tools it uses, and when each has finished",
  /** Required by cases about `Usage` and `McpResponse.usage`. */
  usage: "the agent reports how many tokens a turn has used",
} as const
/** The name of a capability: a key of `capabilities`, of a subject's `cannot`, and of the gate's `--require`. */
export type Capability = keyof typeof capabilities

/**
 * A client under test. `config` and `unreachable` are required; any other place or observation may be left out if
 * `cannot` gives the reason. Whether a conversation continues after a cancelled or failed turn is no capability: the suite
 * reads it from the client's `supports`, and demands `conversation-lost` where it is false.
 */
export interface ContractSubject {
  /**
   * The name of this subject in test titles and reports, and in `--subject` of `zain-contract-gate`, which demands a
   * run of it.
   */
  readonly name: string
  /** The provider that every response must carry, such as `codex`. */
  readonly provider: McpProvider
  /**
   * Makes a client; run once for every case. Cases about approvals provide their policy as core's `McpApproval`, which a
   * client reads when it is made; every other case leaves the default, which declines everything.
   */
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  /** The configuration of a session with an agent that follows `ContractScript`. */
  readonly config: McpConnectionConfig
  /** The configuration of a server that does not exist: `openSession` must fail with `ConnectionUnavailable`. */
  readonly unreachable: McpConnectionConfig
  /**
   * The configuration of a server that never answers the handshake. A subject without it lacks the capability
   * `silent-server`.
   */
  readonly silent?: McpConnectionConfig
  /**
   * Returns `config` with the option that continues a conversation. A subject without it lacks the capability `resume`.
   *
   * @param threadId the conversation, as an earlier response named it
   */
  readonly resume?: (threadId: string) => McpConnectionConfig
  /**
   * Returns `resume` for a second server, which must refuse a conversation that the server of an open session holds. A subject without it lacks the
   * capability `elsewhere`.
   *
   * @param threadId the conversation, as an earlier response named it
   */
  readonly elsewhere?: (threadId: string) => McpConnectionConfig
  /**
   * Options of one turn. A client whose `supports.turnOptions` is true must have them.
   */
  readonly turn?: {
    /** `providerOptions` with which another model answers. */
    readonly options: object
    /** A text that `peer` finds in what the agent receives with them, and never without. */
    readonly seen: string
    /** `providerOptions` that permit more than the session does. */
    readonly wider: object
  }
  /**
   * Observes the agent's side. A subject without it lacks the capabilities `observe`, `observe-cancel` and `leftovers`.
   */
  readonly peer?: PeerObservation
  /**
   * The capabilities that the subject lacks, each with the reason, which is printed wherever a case is skipped for it. A
   * reason for a capability that another field of the subject gives, or that no case needs, fails the run.
   */
  readonly cannot?: { readonly [Name in keyof typeof capabilities]?: string }
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
 * Returns the capabilities of a case that need a field of the subject, such as `resume`, and that it neither has nor
 * excuses, one line each.
 *
 * @param subject the client under test, with its configurations and its excuses
 * @param needs the capabilities that the case needs to run, as `ContractCase.needs` lists them
 */
export const missing = (subject: ContractSubject, needs: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(given(subject)).flatMap(([capability, isGiven]) => {
    const isMissing = !isGiven && needs.includes(capability) && subject.cannot?.[capability as Capability] === undefined
    const what = capabilities[capability as Capability]
    return isMissing ? [`Missing: ${what}. Give it, or say why not in cannot.${capability}.`] : []
  })

/**
 * Returns the part of a failed case's message that says which capabilities to name in the subject's `cannot`, so that
 * the case is skipped. It leaves out those that a field of the subject gives, which `missing` reports.
 *
 * @param subject the client under test, with its configurations and its excuses
 * @param needs the capabilities that the case needs, without those that the agent has shown in another case
 */
export const remedy = (subject: ContractSubject, needs: ReadonlyArray<Capability>): string =>
  needs
    .filter((capability) => !(capability in given(subject)))
    .map((capability) => ` If the agent cannot do this, give the reason in cannot.${capability}.`)
    .join("")

/**
 * Checks a subject before any case runs: a capability is missing without a reason, or an excuse contradicts a field of
 * the subject or is for no case.
 *
 * @param subject the client under test, with its configurations and its excuses
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
    const what = capabilities[capability as Capability]
    if (isGiven && cannot[capability] !== undefined)
      found.push(`cannot.${capability} contradicts the subject, which has it: ${what}.`)
  }
  return [...found, ...missing(subject, Object.keys(capabilities))]
}
