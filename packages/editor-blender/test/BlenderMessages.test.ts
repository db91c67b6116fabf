/**
 * The messages of JSON-RPC between a client and the profile `blender`, over each transport.
 */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as FrontClients from "../../editor-link/testing/FrontClients.ts"
import * as Doors from "../../tool-server/testing/Doors.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { blender as profile } from "../src/BlenderProfile.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"

type Batch = ReadonlyArray<Messages.Message>

const count = { query: "{ scene { context { objectCount } } }" }

const refusalOf = ({ error, id }: Messages.Message) => [id, error?.code]

describe.each(FrontClients.fronts)("the profile blender over %s (editors 003.28)", (front) => {
  const opened = Effect.fnUntraced(function* (version = "2025-11-25") {
    const { port, token } = yield* FakeBlender.start()
    const server = yield* Editors.server(profile, [{ host: "127.0.0.1", port, token }])
    const door = yield* Doors.of(front, server)
    door.say(Messages.initialize.replace("2025-11-25", version))
    yield* Doors.answer(door, "initialize")
    door.say(Messages.initialized)
    return door
  })

  test.live.each([
    ["{", -32_700, null],
    ["1", -32_600, null],
    ['"x"', -32_600, null],
    ["null", -32_600, null],
    ["[]", -32_600, null],
    ["{}", -32_600, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600, null],
    ['{"jsonrpc":"2.0","id":1,"method":"scene/query"}', -32_601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32_602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":1}}', -32_602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"nothing"}}', -32_602, 1],
  ] as const)(
    "%s is refused with %d in a session of any revision, which goes on (editors 003.4)",
    function* ([text, code, id]) {
      for (const version of ["2025-03-26", "2025-11-25"]) {
        const door = yield* opened(version)
        door.say(text)
        assert.strictEqual((yield* Doors.answer(door, id)).error?.code, code, version)
        const { error } = yield* Doors.ask(door, Messages.call("after", "scene.query", count), "after")
        assert.isUndefined(error)
      }
    },
  )

  test.live(
    "a batch has the answers to its requests in their order, with a refusal for what is none; later revisions have no batches (editors 003.4)",
    function* () {
      const door = yield* opened("2025-03-26")
      const batches = () => door.heard.filter((message) => Array.isArray(message)) as unknown as ReadonlyArray<Batch>
      const entries = [
        Messages.call("first", "command.apply", { steps: [{ create: { primitive: "cube", name: "A" } }] }),
        Messages.notification("notifications/unknown"),
        "1",
        '"x"',
        "[]",
        Messages.request(1, "unknown/method"),
        Messages.call("", "scene.query", count),
      ]
      door.say(`[${entries.join(",")}]`)
      yield* eventually(() => batches().length === 1)
      const answers = batches()[0] ?? []
      assert.deepStrictEqual(answers.map(refusalOf), [
        ["first", undefined],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
        [1, -32_601],
        ["", undefined],
      ])
      assert.match(Messages.textOf(answers.at(-1)) ?? "", /"objectCount": 4/)
      const later = yield* opened("2025-06-18")
      later.say(`[${Messages.request(1, "ping")}]`)
      assert.strictEqual((yield* Doors.answer(later, null)).error?.code, -32_600)
    },
  )

  test.live("an id of any kind has its type in the answer (editors 003.5)", function* () {
    const door = yield* opened()
    for (const id of [0, -1, "", "0", "text 椅子", 2 ** 53 - 1]) {
      const { error } = yield* Doors.ask(door, Messages.call(id, "scene.query", count), id)
      assert.isUndefined(error, String(id))
    }
    door.say('{"jsonrpc":"2.0","id":7.0,"method":"ping"}')
    assert.strictEqual((yield* Doors.answer(door, 7)).id, 7)
  })
})
