/**
 * A program that has a document evaluated, and is there until somebody ends it: `LoopSmithLeaver WAY DOCUMENT`.
 */
import * as Effect from "effect/Effect"
import * as LoopSmithClient from "../src/LoopSmithClient.ts"

const [way = "", content = ""] = process.argv.slice(2)
await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(LoopSmithClient.connect(JSON.parse(way)), ({ evaluate }) => Effect.promise(() => evaluate(content))),
  ),
)
