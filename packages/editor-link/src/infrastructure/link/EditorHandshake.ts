/**
 * The first exchange of a connection.
 */
import { realpathSync } from "node:fs"
import * as JsonText from "@zain/process/JsonText"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Arguments } from "../../domain/Catalogue.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { Ask, Dialect, EditorFailure, Hello, HelloOptions, Incoming } from "../../domain/EditorProfile.ts"
import type { Carrier } from "./Carrier.ts"
import * as LinkErrors from "./LinkErrors.ts"

export interface Handshake {
  /** See `EditorProfile.Ask`. */
  readonly ask: Ask
  /** Accepts an answer, and returns whether it was to this exchange. */
  readonly take: (answer: Extract<Incoming, { readonly _tag: "Answer" }>) => boolean
  /** Ends the exchange with the connection; open requests fail. */
  readonly end: (error: DomainError) => void
}

const limit = Duration.seconds(10)

export const make = (dialect: Dialect, write: Carrier["write"]): Handshake => {
  let asked:
    | { readonly id: string; readonly answer: Deferred.Deferred<Result.Result<unknown, EditorFailure>, DomainError> }
    | undefined
  let ended: DomainError | undefined
  return {
    ask: (method: string, params: Arguments) =>
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended)
        const id = dialect.nextId()
        const answer = Deferred.makeUnsafe<Result.Result<unknown, EditorFailure>, DomainError>()
        asked = { id, answer }
        write(JsonText.write(dialect.request(id, method, params)))
        return Deferred.await(answer)
      }),
    take: ({ id, outcome }) => {
      if (asked === undefined || (id !== undefined && id !== asked.id)) return false
      const { answer } = asked
      // The exchange may go on, and ask again, before this returns.
      asked = undefined
      Deferred.doneUnsafe(answer, Effect.succeed(outcome))
      return true
    },
    end: (error) => {
      ended = error
      if (asked !== undefined) Deferred.doneUnsafe(asked.answer, Effect.fail(error))
    },
  }
}

/**
 * Runs the first exchange within 10 s, and checks the editor's project.
 *
 * @param project the only project that is served, if one was named
 * @param whenSilent what becomes of an editor that does not answer in time
 */
export const hello = (
  { dialect }: { readonly dialect: Dialect },
  ask: Ask,
  options: HelloOptions,
  subject: LinkErrors.Subject,
  project: string | undefined,
  whenSilent: Effect.Effect<never, DomainError>,
): Effect.Effect<Hello, DomainError> =>
  dialect.hello(ask, options).pipe(
    Effect.timeoutOrElse({ duration: limit, orElse: () => whenSilent }),
    Effect.flatMap((found) => {
      if (project === undefined || found.project === undefined || real(found.project) === real(project)) {
        return Effect.succeed(found)
      }
      return Effect.fail(LinkErrors.wrongProject(subject, project, found.project))
    }),
  )

/** A path without links; as it is where nothing is there. */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
