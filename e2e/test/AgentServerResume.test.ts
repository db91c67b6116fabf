import { assert, describe } from "@effect/vitest"
import { test } from "../../packages/core/test/Test.ts"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

describe.each(["http", "sse"] as const)("a thread of the real codex whose session over %s is closed", (front) => {
  test.live("goes on by `local()` while its server serves another client", function* () {
    const at = yield* place("codex")
    const { url } = yield* at.serve(front)
    const client = yield* OwnClient.adapter("codex")
    const open = client.openSession(OwnClient.config(at, { front, url }))
    const [staying, leaving] = [yield* open, yield* open]
    const [say, recall] = [Wishes.prompt({ _tag: "Say", text: "one" }), Wishes.prompt({ _tag: "Recall" })]
    yield* client.execute(staying, { content: Wishes.prompt({ _tag: "Say", text: "still here" }).text })
    const { threadId } = yield* client.execute(leaving, { content: say.text })
    yield* client.closeSession(leaving)
    const local = { ...OwnClient.local("codex", at), providerOptions: { threadId } }
    const { content, isError } = yield* client.execute(yield* client.openSession(local), { content: recall.text })
    assert.deepStrictEqual({ content, isError }, { content: JSON.stringify([say.key, recall.key]), isError: false })
  })
})
