/** Clients whose `stream` is broken. */
import type { McpError, McpStreamed } from "@zain/core"
import { type Cause, Effect, Exit, Fiber, Queue, Stream } from "effect"
import { streaming } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant } from "./Mutant.ts"

/** Reads a stream in a fiber that does not end with its reader. */
const detached = (
  stream: Stream.Stream<McpStreamed, McpError>,
  left: (turn: Fiber.Fiber<void>, exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>,
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.make<McpStreamed, McpError | Cause.Done>()
      const turn = yield* Effect.forkDetach(Stream.runIntoQueue(stream, queue), { startImmediately: true })
      yield* Effect.addFinalizer((exit) => left(turn, exit))
      return Stream.fromQueue(queue)
    }),
  )

export const brokenStreams: ReadonlyArray<Mutant> = [
  mutant("leaves the end of the turn out of a stream", "stream.turn", {
    adapter: streaming((stream, ...args) => Stream.filter(stream(...args), ({ _tag }) => _tag !== "TurnCompleted")),
  }),
  mutant("emits the events of all turns in a stream", "stream.alone", {
    adapter: (adapter) => ({
      ...adapter,
      stream: (session, request) =>
        Stream.merge(
          Stream.takeUntil(adapter.events(session), ({ _tag, turn }) => _tag === "TurnCompleted" && turn === 2),
          Stream.filter(adapter.stream(session, request), ({ _tag }) => _tag === "Response"),
        ),
    }),
  }),
  mutant("goes on with the turn of a stream that was left", "stream.left", {
    adapter: streaming((stream, ...args) =>
      detached(stream(...args), (turn, exit) => (Exit.isSuccess(exit) ? Effect.void : Fiber.interrupt(turn))),
    ),
  }),
  mutant("goes on with the turn of an interrupted stream", "stream.interrupted", {
    adapter: streaming((stream, ...args) =>
      detached(stream(...args), (turn, exit) => (Exit.isSuccess(exit) ? Fiber.interrupt(turn) : Effect.void)),
    ),
  }),
  mutant("ends a stream that failed without the failure", "stream.fails", {
    adapter: streaming((stream, ...args) => Stream.catchCause(stream(...args), () => Stream.empty)),
  }),
]
