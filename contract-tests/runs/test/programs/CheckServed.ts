/** Holds Codex to the contract over every way to serve a fake, and then has nothing more to do. */

import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import { ending } from "./Ending.ts"

const served: ReadonlyArray<readonly [name: string, options: FakePeer.ServeOptions]> = [
  ["Streamable HTTP", { transport: "streamable-http" }],
  ["SSE", { transport: "sse" }],
]

const check = ([name, options]: (typeof served)[number]) =>
  Effect.gen(function* () {
    const fake = yield* FakePeer.serve(fakeCodex, options)
    return yield* McpClientContractSuite.check({
      ...fake,
      name,
      provider: "codex",
      make: CodexMcpClientAdapter.make({ profile: "native" }),
    })
  })

for (const one of served) {
  const report = await Effect.runPromise(Effect.scoped(check(one)))
  process.stdout.write(`${McpClientContractSuite.format(report)}\n`)
}
ending()
