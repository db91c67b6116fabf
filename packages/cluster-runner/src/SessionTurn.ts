/**
 * One turn on a runner: its key in the ledger, the agent's work, and the items that cross to the caller.
 */
import type { Known } from "@zain/cluster-client/Ledger"
import type { Item, Key, Outcome, Prompt, Session } from "@zain/cluster-client/SessionEntity"
import * as SessionEntity from "@zain/cluster-client/SessionEntity"
import type { AgentRequest, Answer, Turn } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as SessionFailure from "@zain/core/SessionFailure"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AgentTable from "./AgentTable.ts"
import * as CallerLink from "./CallerLink.ts"
import type { Agents, Claim, HeldSession } from "./HeldSession.ts"
import * as RunnerFailure from "./RunnerFailure.ts"
import * as TurnItems from "./TurnItems.ts"

/** The largest answer that crosses, in bytes: what a frame of the engine holds, less the rest of the message. */
const maxAnswerBytes = 15 * 1024 * 1024

/** A turn as the caller sends it. */
export interface Sent {
  readonly session: Session
  readonly key: Key
  readonly prompt: Prompt
}

/** Runs the turns of one session, one at a time. Ending the stream cancels a turn. */
export type SessionTurns = (sent: Sent) => Stream.Stream<Item, McpError>

/** Makes the turns of a session that the runner holds. */
export const make = Effect.fnUntraced(function* (agents: Agents, held: HeldSession) {
  const { counts } = agents
  const inTurn = Semaphore.makeUnsafe(1)
  const link = yield* CallerLink.make(held)

  /** Sends the prompt of a turn that this runner has begun. */
  const execute = Effect.fnUntraced(function* (mine: Claim, { prompt, session }: Sent, turn: Turn) {
    const { agent, driver } = yield* agents.find(session.agent)
    const { providerOptions, ...rest } = prompt
    const options =
      providerOptions &&
      (yield* Effect.fromResult(AgentTable.chosen(agent, Redacted.value(providerOptions), "not-supported")))
    const connection = yield* held.connected(mine, session, false)
    mine.hasTurns = true
    const request: AgentRequest = { ...rest, ...(options === undefined ? {} : { providerOptions: options }) }
    const answer = yield* connection.execute(request, turn)
    if (answer.threadId !== undefined) held.named(mine, answer.threadId)
    const bytes = Buffer.byteLength(answer.content)
    if (bytes > maxAnswerBytes) return yield* Effect.fail(RunnerFailure.tooLarge(bytes, maxAnswerBytes))
    const cause = answer.isError && answer.cause === undefined ? driver.causeOf?.(answer.content) : undefined
    return SessionEntity.jsonOf<Answer>(cause === undefined ? answer : { ...answer, cause })
  })

  const run = Effect.fnUntraced(function* (sent: Sent) {
    const { key: name, session } = sent
    const stream = yield* Effect.scope
    const key = SessionEntity.keyOf(held.id, session.owner, name)
    const isOnce = name._tag === "Once"
    let begun: { readonly epoch: number } | undefined
    let outcome: Outcome | undefined
    const finish = (what?: Outcome) => {
      const { epoch = 0 } = begun ?? {}
      return Effect.flatMap(
        what === undefined ? Effect.succeed(undefined) : Effect.orDie(encodeOutcome(what)),
        (text) => held.ledger.finish({ session: held.id, epoch, key }, text),
      )
    }
    // An answer that the caller has received is not stored, unless its key outlives the caller.
    let isReceived = false
    const items = TurnItems.make(Redacted.value(session.configuration).limits.maxEventBytes, () => {
      isReceived = true
      if (!isOnce) held.write(finish())
    })
    yield* Scope.addFinalizer(
      stream,
      Effect.sync(() => {
        if (begun !== undefined && !isReceived && !isOnce) held.write(finish(outcome))
      }),
    )

    const turn = Effect.gen(function* () {
      const mine = yield* held.claimed(session)
      const known = yield* Effect.mapError(
        // The key is judged before the state of the session: a turn that is sent again may have begun elsewhere.
        mine === undefined
          ? held.ledger.withdraw(held.id, key)
          : held.ledger.begin({ session: held.id, epoch: mine.epoch, key }),
        RunnerFailure.unavailable,
      )
      if (known._tag === "Stale") {
        yield* held.release
        return yield* Effect.fail(RunnerFailure.stale())
      }
      if (known._tag !== "Mine" || mine === undefined) {
        if (mine === undefined && known._tag === "Withdrawn") {
          return yield* Effect.fail(SessionFailure.sessionClosed(held.id as McpSessionId))
        }
        items.add({ _tag: "Answer", answer: yield* judged(known as Known) })
        return Effect.void
      }
      begun = mine
      items.add({ _tag: "Begun", runner: held.runner })
      const { over, turn } = link(mine, session, items)
      counts.turns++
      const answer = yield* Effect.onExit(execute(mine, sent, turn), (exit) => {
        counts.turns--
        outcome = outcomeOf(exit)
        if (outcome._tag === "Failed") counts.failures++
        return isOnce ? Effect.ignore(finish(outcome)) : Effect.void
      })
      items.add({ _tag: "Answer", answer })
      return over
    })
    const working = yield* Effect.forkIn(
      Effect.ensuring(Effect.flatten(inTurn.withPermit(turn)), Effect.sync(items.end)),
      stream,
    )
    return Stream.concat(items.stream, Stream.drain(Stream.fromEffect(Fiber.join(working))))
  })

  const turns: SessionTurns = (sent) => Stream.unwrap(run(sent))
  return turns
})

const encodeOutcome = Schema.encodeEffect(SessionEntity.Outcome)
const decodeOutcome = Schema.decodeEffect(SessionEntity.Outcome)

const outcomeOf = (exit: Exit.Exit<Answer, McpError>): Outcome => {
  if (Exit.isSuccess(exit)) return { _tag: "Answered", answer: exit.value }
  const failure = exit.cause.reasons.find(({ _tag }) => _tag === "Fail") as { readonly error: McpError } | undefined
  return { _tag: "Failed", error: failure?.error ?? RunnerFailure.interrupted() }
}

/** The answer of a turn whose key the ledger had. */
const judged = (known: Known): Effect.Effect<Answer, McpError> => {
  if (known._tag === "Withdrawn") return Effect.fail(RunnerFailure.withdrawn())
  if (known._tag === "Begun") return Effect.fail(RunnerFailure.begun())
  if (known.answer === undefined) return Effect.fail(RunnerFailure.forgotten())
  return Effect.flatMap(Effect.orDie(decodeOutcome(known.answer)), (outcome) =>
    outcome._tag === "Answered" ? Effect.succeed(outcome.answer) : Effect.fail(outcome.error),
  )
}
