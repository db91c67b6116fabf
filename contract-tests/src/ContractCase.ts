/**
 * One case of the contract suite, and the bench on which it runs.
 */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpError } from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Directive } from "./ContractScript.ts"
import type { Capability, ContractSubject } from "./ContractSubject.ts"
import type { PeerObservation } from "./PeerObservation.ts"
import type { RequirementId } from "./Requirements.ts"

/** A prompt with a key that identifies it on the agent's side. */
export interface KeyedPrompt {
  /**
   * The text for `execute`: an instruction to the fake agent, as `ContractScript.prompt` writes it, which contains
   * `key`.
   */
  readonly content: string
  /** Occurs in `content`, and in no other prompt of the run; `PeerObservation` finds the prompt by it. */
  readonly key: string
}

/** Whether a case passed, what that proves, and why if it did not. */
export interface CaseResult {
  /** The case's id, such as `approvals.decline`. Ids stay the same from release to release. */
  readonly id: string
  /** The behaviour that the case demands, as a sentence with MUST. */
  readonly title: string
  /** The requirements that it proves, together with every other case that names them. */
  readonly verifies: ReadonlyArray<RequirementId>
  /** `skipped`: the subject's `cannot` names a capability that the case needs. */
  readonly status: "passed" | "failed" | "skipped"
  /** The first failed expectation, or the subject's excuse; absent for a case that passed. */
  readonly reason?: string
  /** The duration of the case in milliseconds; 0 for a skipped one. */
  readonly millis: number
}

/** The service that a running case receives. Each case has a bench and a client of its own, which end with it. */
export class Bench extends Context.Service<
  Bench,
  {
    /** The subject under test. */
    readonly subject: ContractSubject
    /** The client that `subject.make` made for this case. */
    readonly client: McpClientAdapter
    /** Opens a session with `subject.config`. */
    readonly open: Effect.Effect<McpSessionId, McpError>
    /**
     * Writes a prompt with a key that no other prompt of the run has.
     *
     * @param directive what the agent must do for the prompt
     */
    readonly prompt: (directive: Directive) => KeyedPrompt
    /** The subject's `peer`. A member that the subject lacks is a defect; a case that uses one names it in `needs`. */
    readonly peer: Required<PeerObservation>
    /** The results of the cases before this one, in their order. */
    readonly earlier: ReadonlyArray<CaseResult>
  }
>()("@zain/contract-tests/Bench") {}

/**
 * One test of the contract suite: on a new client, it tries a behaviour that every client must show.
 * `McpClientContractSuite.runCase` runs it.
 */
export interface ContractCase {
  /** The name of the case in reports, such as `approvals.decline`; it stays the same from release to release. */
  readonly id: string
  /** The behaviour that the case demands, as a sentence with MUST. */
  readonly title: string
  /** The requirements that the case proves when it passes. */
  readonly verifies: ReadonlyArray<RequirementId>
  /** The capabilities that the case requires; a subject that lacks one skips it, with the reason of its `cannot`. */
  readonly needs?: ReadonlyArray<Capability>
  /** Set where the transport can change the outcome, so that a slow agent runs the case over each transport too. */
  readonly crossesWire?: true
  /** Succeeds if the client shows the behaviour, and fails or dies otherwise. */
  readonly run: Effect.Effect<void, unknown, Bench | Scope.Scope>
}

/** A case as it is written: its key is its id, and `run` receives its bench. */
interface Written extends Omit<ContractCase, "id" | "run"> {
  readonly run: (
    bench: typeof Bench.Service,
  ) => Generator<Effect.Effect<unknown, unknown, Bench | Scope.Scope>, void, never>
}

/**
 * Makes cases from a record, in the order of its keys.
 *
 * @param written the cases by their ids; `run` is a generator that receives the bench
 */
export const casesOf = (written: Readonly<Record<string, Written>>): ReadonlyArray<ContractCase> =>
  Object.entries(written).map(([id, { run, ...about }]) => ({
    id,
    ...about,
    run: Effect.flatMap(Bench, (bench) => Effect.gen(() => run(bench))),
  }))
