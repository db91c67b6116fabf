/** The program: a fake agent over HTTP. It answers each line of input with its inventory, and ends with its input. */

import { createInterface } from "node:readline"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakePeer } from "@zain/contract-tests"
import * as Effect from "effect/Effect"

const transport = process.argv[2] === "sse" ? "sse" : "streamable-http"
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

const serve = Effect.gen(function* () {
  const { config, peer } = yield* FakePeer.serve(fakeCodex, { transport })
  say(config)
  yield* Effect.promise(async () => {
    for await (const _ of createInterface({ input: process.stdin })) say(await Effect.runPromise(peer.leftovers))
  })
})

await Effect.runPromise(Effect.scoped(serve))
