/**
 * Running bridges are found by their files, and only by files that are safe.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Redacted, Result, Scope } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { blenderCommand } from "../src/BlenderCommand.ts"
import { blender as profile } from "../src/BlenderProfile.ts"
import * as BridgeFiles from "../src/BridgeFiles.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"

const token = "0123456789abcdef".repeat(4)

/** A place of its own for bridges' files, and what writes one. */
const place = Effect.gen(function* () {
  const root = yield* directory
  const env = { XDG_RUNTIME_DIR: root, TMPDIR: root }
  const bridges = join(root, "zain-editors")
  mkdirSync(bridges, { mode: 0o700 })
  const write = (pid: number, given: object = {}, mode = 0o600) => {
    const path = join(bridges, `${pid}.json`)
    const content = { pid, port: 40_123, token, file: "/work/chair.blend", version: "1", ...given }
    writeFileSync(path, JSON.stringify(content), { mode })
    chmodSync(path, mode)
    return path
  }
  return { root, env, bridges, write }
})

const find = (which: BridgeFiles.Wanted, env: Readonly<Record<string, string>>) =>
  Effect.result(BridgeFiles.find(which, env))

const problem = <A>(found: Result.Result<A, string>) => (Result.isFailure(found) ? found.failure : "")

describe("the directories of bridges' files", () => {
  test.each([
    [
      "linux",
      { XDG_RUNTIME_DIR: "/run/me", TMPDIR: "/var/tmp" },
      ["/run/me/zain-editors", "/var/tmp/zain-editors-501"],
    ],
    ["linux", {}, ["/run/user/501/zain-editors", "/tmp-of-user/zain-editors-501"]],
    [
      "linux",
      { XDG_RUNTIME_DIR: "me", TMPDIR: "tmp" },
      ["/run/user/501/zain-editors", "/tmp-of-user/zain-editors-501"],
    ],
    ["darwin", { TMPDIR: "/var/folders/a/b/T/" }, ["/var/folders/a/b/T/zain-editors-501"]],
    ["darwin", { TEMP: "/one", TMP: "/two" }, ["/one/zain-editors-501"]],
    ["darwin", {}, ["/tmp-of-user/zain-editors-501"]],
    ["win32", { TEMP: "C:\\Temp", TMP: "C:\\Tmp" }, ["C:\\Temp\\zain-editors"]],
    ["win32", { TMPDIR: "D:\\t", TEMP: "C:\\Temp" }, ["D:\\t\\zain-editors"]],
    ["win32", {}, ["C:\\Users\\me\\Temp\\zain-editors"]],
  ] as const)("are on %s with %j where the bridge writes them: %j", function* ([platform, env, expected]) {
    const windows = platform === "win32"
    const temporary = () => (windows ? "C:\\Users\\me\\Temp" : "/tmp-of-user")
    const found = BridgeFiles.directories(env, { platform, uid: windows ? undefined : 501, temporary })
    assert.deepStrictEqual(found, expected)
  })
})

describe("the bridges that run", () => {
  test.live("are those whose files are this user's, private, whole and of a living process", function* () {
    const { bridges, env, write } = yield* place
    write(process.pid)
    write(process.ppid, {}, 0o644)
    write(4_000_000_000)
    write(1, { token: "short" })
    symlinkSync(join(bridges, `${process.pid}.json`), join(bridges, "12.json"))
    writeFileSync(join(bridges, "13.json"), "{", { mode: 0o600 })
    writeFileSync(join(bridges, "14.json"), `{"pid":14}${" ".repeat(20_000)}`, { mode: 0o600 })
    const found = yield* BridgeFiles.running(env)
    assert.deepStrictEqual(
      found.map(({ file, pid, port }) => ({ file, pid, port })),
      [{ file: "/work/chair.blend", pid: process.pid, port: 40_123 }],
    )
  })

  test.live("are not looked for in a directory that others can write", function* () {
    const { bridges, env, write } = yield* place
    write(process.pid)
    chmodSync(bridges, 0o777)
    assert.deepStrictEqual(yield* BridgeFiles.running(env), [])
  })

  test.live("have to be named where there are several, and the failure lists them", function* () {
    const { env, write } = yield* place
    assert.include(problem(yield* find({ by: "only" }, env)), "no Blender with a bridge runs")
    write(process.pid)
    write(process.ppid, { port: 40_124, file: "" })
    const several = problem(yield* find({ by: "only" }, env))
    assert.include(several, `${process.pid} (/work/chair.blend)`)
    assert.include(several, `${process.ppid} (never saved)`)
    assert.include(several, "--editor PID")
    assert.notInclude(several, token)
  })

  test.live("are named by process, port or file", function* () {
    const { env, write } = yield* place
    const path = write(process.pid)
    write(process.ppid, { port: 40_124 })
    for (const given of [String(process.pid), "127.0.0.1:40123", "localhost:40123", path]) {
      const found = yield* find(Result.getOrThrow(BridgeFiles.wanted(given)), env)
      assert.strictEqual(Result.getOrThrow(found).pid, process.pid, given)
    }
    const other = problem(yield* find({ by: "pid", pid: 4_000_000_000 }, env))
    assert.include(other, "process 4000000000 has no bridge. Running are ")
    assert.include(problem(BridgeFiles.wanted("example.org:40123")), "listens on 127.0.0.1 alone")
  })

  test.live.each([
    ["can be read by others", 0o644, {}, "chmod 600"],
    ["has no token", 0o600, { token: 5 }, "not the file of a bridge"],
  ] as const)("a file that is named and %s is refused without its content", function* ([, mode, given, said]) {
    const { env, write } = yield* place
    const failed = problem(yield* find({ by: "file", path: write(process.pid, given, mode) }, env))
    assert.include(failed, said)
    assert.notInclude(failed, token)
  })
})

describe("blender: the connection", () => {
  const seeking = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
    const target = Result.getOrThrow(blenderCommand.target(env))
    const trace: Array<string> = []
    const lines: Array<string> = []
    const server = yield* Editors.server(profile, [target], {
      trace: (_, message) => trace.push(JSON.stringify(message)),
      log: (line) => lines.push(JSON.stringify(line)),
      clientLogLevel: "debug",
    })
    return { ...(yield* Editors.client(server)), trace, lines }
  })

  test.live("finds Blender again by its file, with another port and another token (editors 003.15)", function* () {
    const { bridges, env } = yield* place
    const first = yield* Scope.make()
    const before = yield* Scope.provide(FakeBlender.start({ directory: bridges }), first)
    const { call } = yield* seeking(env)
    assert.notStrictEqual((yield* call("command.apply", { steps: [{ world: { strength: 1 } }] })).isError, true)
    yield* Scope.close(first, yield* Effect.exit(Effect.void))
    const after = yield* FakeBlender.start({ directory: bridges })
    assert.notStrictEqual(Redacted.value(after.token), Redacted.value(before.token))
    yield* eventually(() => after.control.connections() === 1)
    const result = yield* call("command.apply", { steps: [{ world: { strength: 1 } }] })
    assert.notStrictEqual(result.isError, true, Editors.textOf(result))
  })

  test.live("without a bridge a call fails with where it was looked for, and the tools stay", function* () {
    const { env, root } = yield* place
    const { call, names } = yield* seeking(env)
    const failed = yield* call("scene.undo", {})
    assert.include(Editors.textOf(failed), `Cannot reach Blender: no Blender with a bridge runs (looked in ${root}`)
    assert.deepInclude(Editors.errorOf(failed), { code: "DISCOVERY_ERROR", delivery: "not-sent", retryable: true })
    assert.lengthOf(yield* names, 13)
  })

  test.live("keeps the token out of failures, logs and recordings", function* () {
    const { bridges, env, write } = yield* place
    const editor = yield* FakeBlender.start()
    // A token that the bridge does not take.
    write(process.pid, { port: editor.port })
    const refused = yield* seeking(env)
    const failed = yield* refused.call("scene.undo", {})
    assert.isTrue(failed.isError)
    const other = yield* FakeBlender.start({ directory: bridges })
    const welcome = yield* seeking(env)
    yield* welcome.call("scene.undo", {})
    const all = [JSON.stringify(failed), ...refused.trace, ...refused.lines, ...welcome.trace, ...welcome.lines].join()
    for (const secret of [token, Redacted.value(editor.token), Redacted.value(other.token)])
      assert.notInclude(all, secret)
    assert.include(welcome.trace[0], '"method":"hello","params":{"token":"[token]"}')
  })
})
