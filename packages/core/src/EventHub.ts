/**
 * The events of one session, for any number of readers.
 *
 * @see docs/internals/promises.md, 14
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EventReaders from "./EventReaders.ts"
import type { McpEvent, McpEventContent } from "./McpEvents.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/**
 * - `publish`: gives an event to every reader, without waiting; `origin` as in `McpEvent`
 * - `observed`: whether there is a reader; without one, no event needs to be built
 * - `isUnderWay`: whether a published turn has begun and not ended
 * - `lastTurn`: the turn that was published last; 0 before the first
 * - `caughtUp`: waits until every reader has finished the events published by now; does not wait for readers that do
 *   other work meanwhile
 * - `stream`: all events that are published while the stream runs
 * - `ofTurns`: the events of some turns that are published before `over` is called, without those of work that goes on
 * - `end`: ends every stream, after the end of the turn under way
 */
export interface EventHub {
  readonly publish: (turn: number, event: McpEventContent, origin?: number) => void
  readonly observed: () => boolean
  readonly isUnderWay: () => boolean
  readonly lastTurn: () => number
  readonly caughtUp: Effect.Effect<void>
  readonly stream: Stream.Stream<McpEvent>
  readonly ofTurns: (isMine: (turn: number) => boolean) => Effect.Effect<EventReaders.TurnReader, never, Scope.Scope>
  readonly end: () => void
}

/**
 * Makes the hub of one session. Most sessions have no reader, so readers are made by the first.
 *
 * @param own the budget of this session
 * @param all the budget of all sessions of its client
 */
export const make = (sessionId: McpSessionId, own: EventReaders.Budget, all: EventReaders.Budget): EventHub => {
  let readers: EventReaders.EventReaders | undefined
  let sequence = 0
  let lastTurn = 0
  let isUnderWay = false
  let isEnding = false
  let ended = false

  const reading = () => {
    if (readers === undefined) {
      readers = EventReaders.make(sessionId, own, all)
      if (ended) readers.end()
    }
    return readers
  }
  const observed = () => readers !== undefined && !readers.isEmpty()
  const end = () => {
    ended = true
    readers?.end()
  }

  return {
    get caughtUp() {
      return readers?.caughtUp ?? Effect.void
    },
    publish: (turn, content, origin) => {
      const { _tag } = content
      sequence++
      lastTurn = turn
      if (observed()) readers?.publish(turn, sequence, content, origin)
      if (_tag === "TurnStarted") isUnderWay = true
      else if (_tag === "TurnCompleted" || _tag === "TurnFailed") {
        isUnderWay = false
        if (isEnding) end()
      }
    },
    observed,
    isUnderWay: () => isUnderWay,
    lastTurn: () => lastTurn,
    get stream() {
      return Stream.suspend(() => reading().stream)
    },
    ofTurns: (isMine) => Effect.suspend(() => reading().ofTurns(isMine)),
    end: () => {
      isEnding = true
      if (!isUnderWay) end()
    },
  }
}
