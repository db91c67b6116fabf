/**
 * A client of LoopSmith with the official SDK, without any code of Zain.
 */
import type { EvaluationResponse } from "@zain/loopsmith/Evaluation"
import { type Cause, Effect, type Scope } from "effect"
import type { Door, LoopSmithPlace } from "./LoopSmithPlace.ts"
import * as OfficialClient from "./OfficialClient.ts"

/** One call of `evaluate_document`. */
export type Evaluate = (content: string) => Effect.Effect<EvaluationResponse, Cause.UnknownError>

/** Connects to a server. Closed with the Scope. */
export const connect = Effect.fnUntraced(function* (
  server: OfficialClient.Server,
): Effect.fn.Return<Evaluate, never, Scope.Scope> {
  const client = yield* OfficialClient.open(server)
  // After this the client checks results against the tools' schemas.
  yield* Effect.promise(() => client.listTools())
  return (content) =>
    Effect.tryPromise(async () => {
      const params = { name: "evaluate_document", arguments: { content } }
      const { structuredContent } = await client.callTool(params, undefined, { timeout: OfficialClient.timeout })
      return structuredContent as EvaluationResponse
    })
})

/** `loopsmith serve` with these arguments; one that listens does so until the Scope ends. */
export const serve = (
  place: LoopSmithPlace,
  front: Door,
  args: ReadonlyArray<string>,
): Effect.Effect<OfficialClient.Server, never, Scope.Scope> =>
  front === "stdio"
    ? Effect.succeed({ front, command: place.command(["serve", "stdio", ...args]) })
    : Effect.map(place.serve(front, args), ({ url }) => ({ front, url }))
