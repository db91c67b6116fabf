import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpProvider } from "@zain/core"
import { Effect, Exit, Scope } from "effect"
import { afterAll, expect, it } from "vitest"

const plain = "a reply of plain JSON contains the result alone"
const repliesWithJson = { approvals: plain, changes: plain, reasons: plain, events: plain, tools: plain, usage: plain }

const codex = { provider: McpProvider.codex, make: CodexMcpClientAdapter.make({ profile: "native" }) }

const scope = await Effect.runPromise(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const serve = (options: FakePeer.ServeOptions) =>
  Effect.runPromise(Scope.provide(FakePeer.serve(fakeCodex, options), scope))

const http = await serve({ transport: "streamable-http" })
const sse = await serve({ transport: "sse" })

run({ ...codex, ...http, name: "Codex, a fake over Streamable HTTP" })

const json = await serve({ transport: "streamable-http", replies: "json" })
run({
  ...{ ...codex, ...json },
  name: "Codex, a fake over Streamable HTTP that replies with JSON",
  cannot: { ...json.cannot, ...repliesWithJson },
})

run({ ...codex, ...sse, name: "Codex, a fake over SSE" })

it.each([http, sse])(
  "the end of a client closes its connections, also idle ones: %#",
  async ({ config, connections }) => {
    const use = Effect.flatMap(codex.make, (client) => Effect.flatMap(client.openSession(config), client.closeSession))
    await Effect.runPromise(Effect.scoped(use))
    expect(await Effect.runPromise(connections)).toEqual([])
  },
)
