/**
 * The turns of one session at its caller: each within `acceptTimeout` of a runner, and with a verdict on its delivery.
 */
import type { AgentRequest, Answer, Turn } from "@zain/core/AgentConnection"
import type { McpDelivery, McpError } from "@zain/core/McpError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as ClusterFailure from "./ClusterFailure.ts"
import * as ConfigurationCodec from "./ConfigurationCodec.ts"
import * as ItemReader from "./ItemReader.ts"
import type { Ledger } from "./Ledger.ts"
import type { Replies } from "./Replies.ts"
import type { RunnerCalls, Why } from "./RunnerCalls.ts"
import { exitOf, lost } from "./RunnerCalls.ts"
import type { Item, Key, Prompt } from "./SessionEntity.ts"
import * as SessionEntity from "./SessionEntity.ts"

/** The key of an `executeOnce`, for the turn that runs where it is provided. */
export const OnceKey = Context.Reference<string | undefined>("@zain/cluster-client/OnceKey", {
  defaultValue: () => undefined,
})

/** How long the ledger may take to judge a turn. */
const judging = Duration.seconds(5)

/** The session whose turns these are. */
export interface Options extends Pick<ItemReader.Handler, "begun" | "named"> {
  readonly id: string
  readonly owner: string
  readonly acceptTimeout: Duration.Duration
  readonly ledger: Ledger
  readonly calls: RunnerCalls
  /** The Scope of the streams. */
  readonly streams: Scope.Scope
  readonly replies: Replies["Service"]
  /** Sends a turn to the runner. */
  readonly send: (key: Key, prompt: Prompt, turn: Turn) => Stream.Stream<Item, unknown>
}

/** Runs a turn; `over` ends it. */
export type Execute = (
  request: AgentRequest,
  turn: Turn,
  over: Deferred.Deferred<never, McpError>,
) => Effect.Effect<Answer, McpError>

/** Makes the turns of a session. */
export const make = ({
  acceptTimeout,
  calls,
  id,
  ledger,
  owner,
  replies,
  send,
  streams,
  ...handler
}: Options): Execute => {
  let turns = 0
  const parts = new WeakMap<Turn, number>()
  const nextKey = (turn: Turn, once: string | undefined): Key => {
    if (once === undefined) return { _tag: "Turn", number: ++turns }
    const part = (parts.get(turn) ?? 0) + 1
    parts.set(turn, part)
    return { _tag: "Once", key: once, part }
  }

  /** What became of a turn whose stream ended without an answer. */
  const verdict = Effect.fnUntraced(function* (key: Key, why: Why): Effect.fn.Return<Answer, McpError> {
    const failed = (delivery: McpDelivery) =>
      why === undefined && delivery === "not-sent" ? calls.noRunner("unreachable", acceptTimeout) : lost(delivery)(why)
    // A key that outlives the caller stays usable: asking again with it is safe.
    if (key._tag === "Once") return yield* failed("unknown")
    const withdrawing = ledger.withdraw(id, SessionEntity.keyOf(id, owner, key))
    const exit = yield* Effect.exit(Effect.timeoutOption(withdrawing, judging))
    const known = Exit.isSuccess(exit) ? Option.getOrUndefined(exit.value) : undefined
    if (known?._tag === "Withdrawn") return yield* failed("not-sent")
    if (known?._tag !== "Done" || known.answer === undefined) return yield* failed("unknown")
    const outcome = yield* Effect.orDie(decodeOutcome(known.answer))
    return outcome._tag === "Answered" ? outcome.answer : yield* Effect.fail(outcome.error)
  })

  return Effect.fnUntraced(function* ({ deadline: _, providerOptions, ...rest }, turn, over) {
    const key = nextKey(turn, yield* OnceKey)
    const prompt = {
      ...rest,
      ...(providerOptions && { providerOptions: Redacted.make(ConfigurationCodec.encodeOptions(providerOptions)) }),
    }
    const ended = Deferred.makeUnsafe<Answer | Cause.Cause<unknown>>()
    const begun = Deferred.makeUnsafe<string>()
    const reading = yield* Effect.forkIn(
      ItemReader.read(send(key, prompt, turn), turn, {
        ...handler,
        begun: (runner) => {
          Deferred.doneUnsafe(begun, Effect.succeed(runner))
          handler.begun(runner)
        },
        answered: (answer) => void Deferred.doneUnsafe(ended, Effect.succeed(answer)),
        reply: (id, reply) =>
          Effect.flatMap(Deferred.await(begun), (runner) =>
            exitOf(replies.send(runner, { owner, id, reply }), acceptTimeout),
          ),
      }),
      streams,
      { startImmediately: true },
    )
    reading.addObserver((exit) => {
      Deferred.doneUnsafe(ended, Effect.succeed(Exit.isFailure(exit) ? exit.cause : Cause.empty))
    })
    // The engine waits for a runner that is gone without a limit.
    const gone = Effect.raceFirst(
      Effect.flatMap(Deferred.await(begun), calls.gone),
      Effect.flatMap(Effect.sleep(acceptTimeout), () =>
        Deferred.isDoneUnsafe(begun) ? Effect.never : Effect.succeed(undefined),
      ),
    )
    const outcome = yield* Effect.raceFirst(Effect.raceFirst(Deferred.await(ended), gone), Deferred.await(over)).pipe(
      Effect.onError(() => Effect.sync(() => reading.interruptUnsafe())),
    )
    if (outcome !== undefined && !Cause.isCause(outcome)) return outcome
    // The close of the session ends both the stream and the turn.
    if (Deferred.isDoneUnsafe(over)) return yield* Deferred.await(over)
    if (outcome === undefined) reading.interruptUnsafe()
    const error = ClusterFailure.read(outcome)
    return error === undefined ? yield* verdict(key, outcome) : yield* Effect.fail(error)
  })
}

const decodeOutcome = Schema.decodeEffect(SessionEntity.Outcome)
