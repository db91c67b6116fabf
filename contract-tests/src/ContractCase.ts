/**
 * One case of the suite, and the bench it runs on.
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

/** A prompt for the agent's side. `key` is in `content`, and in no other prompt of the run. */
export interface KeyedPrompt {
  readonly content: string
  readonly key: string
}

/** How one case ended. `reason` says why it failed or was skipped. `millis`: how long it took, in milliseconds. */
export interface CaseResult {
  readonly id: string
  readonly title: string
  readonly verifies: ReadonlyArray<RequirementId>
  readonly status: "passed" | "failed" | "skipped"
  readonly reason?: string
  readonly millis: number
}

/**
 * What a case is given. Everything is its own: the client was made for it and ends with it.
 *
 * - `open`: a session with the subject's good configuration
 * - `prompt`: a prompt that asks for something, with a key of its own
 * - `peer`: complete; what the subject cannot observe is never asked of it
 * - `earlier`: how the cases before this one ended
 */
export class Bench extends Context.Service<
  Bench,
  {
    readonly subject: ContractSubject
    readonly client: McpClientAdapter
    readonly open: Effect.Effect<McpSessionId, McpError>
    readonly prompt: (directive: Directive) => KeyedPrompt
    readonly peer: Required<PeerObservation>
    readonly earlier: ReadonlyArray<CaseResult>
  }
>()("@zain/contract-tests/Bench") {}

/**
 * - `id`: stable, for reports
 * - `title`: the behaviour, as a sentence
 * - `verifies`: the requirements that it proves
 * - `needs`: a subject that cannot one of these skips the case, and says why
 * - `crossesWire`: what a transport carries decides how it ends, so it is worth a run over each with a slow agent too
 * - `run`: fails, in whatever way, when the behaviour is not there
 */
export interface ContractCase {
  readonly id: string
  readonly title: string
  readonly verifies: ReadonlyArray<RequirementId>
  readonly needs?: ReadonlyArray<Capability>
  readonly crossesWire?: true
  readonly run: Effect.Effect<void, unknown, Bench | Scope.Scope>
}

/** A case as it is written: its key is its id, and `run` receives its bench. */
interface Written extends Omit<ContractCase, "id" | "run"> {
  readonly run: (
    bench: typeof Bench.Service,
  ) => Generator<Effect.Effect<unknown, unknown, Bench | Scope.Scope>, void, never>
}

/** Cases by their ids, in the order in which they run. */
export const casesOf = (written: Readonly<Record<string, Written>>): ReadonlyArray<ContractCase> =>
  Object.entries(written).map(([id, { run, ...about }]) => ({
    id,
    ...about,
    run: Effect.flatMap(Bench, (bench) => Effect.gen(() => run(bench))),
  }))
