/**
 * What goes out by standard output, and whether it got there.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandError, fileProblem } from "./CommandError.ts"

/** What is written to. */
export type Output = Pick<NodeJS.WritableStream, "write">

/** How long a reader has when nobody wants to wait for it any more. */
const lastWords = Duration.seconds(1)

/**
 * Writes a text, and waits until it is read: as long as that takes, and a second longer once it is interrupted. It can be
 * used where nothing else can be interrupted.
 *
 * @returns nothing; or `CommandError` when the text did not get through
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
      return yield* Effect.timeoutOrElse(read, { duration: lastWords, orElse: () => problem("it is not read") })
    }),
  )

const problem = (why: string) =>
  Effect.fail(new CommandError({ message: `Standard output could not be written: ${why}.` }))
