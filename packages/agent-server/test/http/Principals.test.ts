import { assert, describe } from "@effect/vitest"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]

describe("a client with another's token (promise 26)", () => {
  test.live("knows nothing of their session, and ends nothing of it", function* () {
    const { seen, url } = yield* Front.start({ tokens: [mine, theirs] })
    const client = yield* Front.session(url, mine)
    const turn = yield* client.begin(Front.call("stay"))
    yield* RawClient.eventually(() => seen.working === 1)
    const raw = yield* RawClient.make(url)
    const headers = { ...client.headers, authorization: `Bearer ${theirs}` }
    for (const asked of [{ body: Front.call("say x") }, { method: "GET" }, { method: "DELETE" }]) {
      const reply = yield* raw.send({ ...asked, headers })
      const unknown = yield* raw.send({ ...asked, headers: { ...headers, "mcp-session-id": "0".repeat(32) } })
      assert.deepStrictEqual([reply.status, reply.text], [404, unknown.text])
    }
    const cancel = Front.notification("notifications/cancelled", { requestId: 1 })
    assert.strictEqual((yield* raw.send({ headers, body: cancel })).status, 404)
    assert.deepStrictEqual([seen.working, turn.isOver()], [1, false])
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say mine", 2))), "mine")
  })

  test.live("cannot go on with their thread", function* () {
    const { url } = yield* Front.start({ tokens: [mine, theirs] })
    const [client, other] = [yield* Front.session(url, mine), yield* Front.session(url, theirs)]
    const threadId = Front.answerOf(yield* client.post(Front.call("say x")))?.result?.structuredContent?.threadId
    const stolen = Front.answerOf(yield* other.post(Front.call("earlier", 2, {}, threadId)))
    assert.isTrue(stolen?.result?.isError)
    const again = yield* Front.session(url, mine)
    assert.strictEqual(Front.contentOf(yield* again.post(Front.call("earlier", 2, {}, threadId))), "say x")
  })
})
