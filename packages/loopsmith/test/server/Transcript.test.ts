import { Effect } from "effect"
import { expect } from "vitest"
import { test } from "../../../core/test/Test.ts"
import * as Messages from "../../../tool-server/test/Messages.ts"
import * as Transcript from "../../../tool-server/test/Transcript.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import * as Judge from "./Judge.ts"

test.live("the LoopSmith server answers a recorded conversation byte for byte", function* () {
  const server = LoopSmithServer.make({ evaluator: Judge.make().evaluator, version: "1.2.3" })
  const calls = [
    Messages.call("bad", "evaluate_document", { document: 7 }),
    Messages.call("last", "get_improvement_suggestions", {}),
  ]
  const spoken = yield* Transcript.of(server, calls)
  yield* Effect.promise(() => expect(spoken).toMatchFileSnapshot("../fixtures/transcript.txt"))
})
