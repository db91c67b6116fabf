import { run } from "@zain/contract-tests/VitestRunner"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import * as Everything from "../src/Everything.ts"
import * as HttpTap from "../src/HttpTap.ts"

const scope = await Effect.runPromise(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

for (const transport of ["streamable-http", "sse"] as const) {
  const { peer, silentUrl, url } = await Effect.runPromise(
    Scope.provide(Effect.flatMap(Everything.serve(transport), HttpTap.make), scope),
  )
  run({
    name: `the reference server over ${transport}`,
    config: { transport, serverUrl: url },
    unreachable: { transport, serverUrl: "http://127.0.0.1:1" },
    silent: { transport, serverUrl: silentUrl },
    peer,
    ...Everything.subject,
  })
}
