/**
 * Writes to standard output and waits until the text is written.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandError, fileProblem } from "./CommandError.ts"

/** The stream to write to. */
export type Output = Pick<NodeJS.WritableStream, "write">

/** How long to wait for the reader after an interruption. */
const lastWords = Duration.seconds(1)

/**
 * Writes a text and waits until the stream has taken it, without a limit; after an interruption, for one more second. It
 * stays interruptible within an uninterruptible region.
 *
 * @returns nothing. Fails with `CommandError` if the text was not written
 */
export const write = (output: Output, text: string): Effect.Effect<void, CommandError> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const written = yield* Deferred.make<void, CommandError>()
      output.write(text, (cause) =>
        Deferred.doneUnsafe(written, cause == null ? Effect.void : problem(fileProblem(cause))),
      )
      const read = Effect.interruptible(Deferred.await(written))
      const exit = yield* Effect.exit(read)
      if (Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)) return yield* exit
      return yield* Effect.timeoutOrElse(read, {
        duration: lastWords,
        orElse: () => problem("timed out after 1 s, because it is not read"),
      })
    }),
  )

const problem = (why: string) =>
  Effect.fail(new CommandError({ message: `Standard output could not be written: ${why}.` }))
