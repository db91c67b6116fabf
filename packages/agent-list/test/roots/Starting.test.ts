/** Roots on a command line and in a token file. */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as TokenFile from "@zain/tool-server/http/TokenFile"
import * as RootDirectory from "@zain/tool-server/RootDirectory"
import * as Effect from "effect/Effect"
import * as ServerProcess from "../../../agent-server/testing/ServerProcess.ts"
import * as Rooted from "./Rooted.ts"

const [mine, theirs, anyones] = ["my-token-of-22-letters", "their-token-of-25-letters", "a-token-of-25-characters"]

const tokenFile = (at: Rooted.Place, text: string) => {
  const path = join(at.home, "tokens")
  writeFileSync(path, text)
  chmodSync(path, 0o600)
  return path
}

describe("a server with --root", () => {
  test.live("limits its clients to its roots, with links resolved", function* () {
    const at = yield* Rooted.place("codex")
    const roots = [join(at.home, "link"), `${at.root}-too`]
    const server = yield* ServerProcess.start(roots.flatMap((root) => ["--root", root]))
    server.send(ServerProcess.initialize())
    yield* server.message(({ id }) => id === "init")
    server.send(ServerProcess.initialized)
    const wish = (path: string) => JSON.stringify({ kind: "file-change", message: "?", paths: [path] })
    const paths = [join(at.root, "new"), join(`${at.root}-too`, "new"), join(at.outside, "new")]
    const answers: Array<string> = []
    for (const [id, path] of paths.entries()) {
      server.send(ServerProcess.call(id, `request ${wish(path)}`))
      answers.push(JSON.stringify((yield* server.message((message) => message.id === id)).result))
    }
    assert.match(answers[0] ?? "", /cannot be asked/)
    assert.match(answers[1] ?? "", /cannot be asked/)
    assert.include(answers[2] ?? "", `inside one of the roots ${at.root}, ${at.root}-too`)
  })

  test.live("resolves the links of a directory, and rejects everything else", function* () {
    const at = yield* Rooted.place("codex")
    const found = ["link", "link/sub/..", "root/file", "root/lost", "none"].map((name) =>
      RootDirectory.find(`${at.home}/${name}`),
    )
    assert.deepStrictEqual(found, [at.root, at.root, undefined, undefined, undefined])
    assert.isUndefined(RootDirectory.find(""))
  })
})

describe("a token with a root of its own (promise 29)", () => {
  test.live("has one line in the token file for each of its roots", function* () {
    const at = yield* Rooted.place("codex")
    const path = tokenFile(at, `${mine}  ${at.home}/link\n${mine} ${at.outside}\n# ${theirs} /\n${anyones}\n`)
    const tokens = yield* TokenFile.read(path, true)
    assert.deepStrictEqual(
      tokens.map(({ root }) => root),
      [at.root, at.outside, undefined],
    )
    const refused = yield* Effect.flip(TokenFile.read(path))
    assert.include(refused.message, "Line 1", "A server without roots takes no line with one.")
  })

  test.live.each(["relative", "/no/such/directory", "/dev/null"])("is rejected when its root is %s", function* (root) {
    const at = yield* Rooted.place("codex")
    const { message, reason } = yield* Effect.flip(TokenFile.read(tokenFile(at, `\n${mine} ${root}\n`), true))
    assert.strictEqual(reason, "token-file")
    assert.match(message, /^Line 2 of the token file .* has no valid root/)
    for (const secret of [mine, root]) assert.notInclude(message, secret)
  })

  test.live.each(["http", "sse"] as const)("limits its clients to that root, over %s", function* (kind) {
    const at = yield* Rooted.place("claude-code")
    const own = `${at.root}-too`
    const path = tokenFile(at, `${mine} ${own}\n${theirs} ${at.outside}\n${theirs} ${own}\n${anyones}\n`)
    const server = yield* Rooted.server(at, [at.root])
    const url = yield* Rooted.listen(server, kind, yield* TokenFile.read(path, true))
    const named = { [mine]: own, [theirs]: `${at.outside}, ${own}`, [anyones]: at.root }
    const allowed = { [mine]: [own], [theirs]: [at.outside, own], [anyones]: [at.root] }
    for (const token of [mine, theirs, anyones]) {
      const client = yield* Rooted.connect("claude-code", kind, url, token)
      for (const cwd of [own, at.outside, at.root]) {
        const isAllowed = allowed[token]?.includes(cwd) === true
        // A thread that is refused later than its directory has an id.
        const { text, threadId } = yield* client.start("say said", { cwd })
        if (isAllowed) assert.strictEqual(text, "said")
        else assert.include(text, named[token] ?? "")
        assert.strictEqual(threadId !== "", isAllowed)
      }
    }
  })

  test.live("limits its clients also when it is the only token", function* () {
    const at = yield* Rooted.place("claude-code")
    const tokens = yield* TokenFile.read(tokenFile(at, `${mine} ${at.root}\n`), true)
    const url = yield* Rooted.listen(yield* Rooted.server(at, []), "http", tokens)
    const client = yield* Rooted.connect("claude-code", "http", url, mine)
    assert.include((yield* client.start("say said", { cwd: at.outside })).text, `inside the root ${at.root}`)
  })
})
