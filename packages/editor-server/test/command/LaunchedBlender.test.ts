/**
 * A Blender of the server's own, as a program that is none.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { blender as profile } from "@zain/editor-blender/BlenderProfile"
import * as BridgeFiles from "@zain/editor-blender/BridgeFiles"
import * as LaunchedBlender from "@zain/editor-blender/LaunchedBlender"
import type { LaunchOptions } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import { gone, isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Scope } from "effect"
import * as Editors from "../../../editor-link/testing/Editors.ts"
import { answer, begin, call, run } from "../../testing/command/Started.ts"

const fixture = fileURLToPath(new URL("../fixtures/launched-blender.ts", import.meta.url))

/**
 * A home with a program that is started in place of Blender.
 *
 * - `starts`: the arguments of each start
 * - `pids`: the processes that left their bridge's file
 */
const place = Effect.gen(function* () {
  const home = yield* directory
  const program = join(home, "blender")
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" --conditions=zain-source "${fixture}" "$@"\n`)
  chmodSync(program, 0o755)
  const secret = "not for Blender"
  const secrets = { SECRET_KEY: secret, NVIDIA_API_KEY: secret, CUDA_TOKEN: secret, BLENDER_USER_PASSWORD: secret }
  const env = { PATH: process.env["PATH"], HOME: home, BLENDER_PATH: program, CUDA_VISIBLE_DEVICES: "0", ...secrets }
  const state = join(home, ".local", "state", "zain", "blender")
  const starts = (): ReadonlyArray<ReadonlyArray<string>> =>
    readFileSync(join(state, "starts"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
  const pids = () => readdirSync(state).flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []))
  return { home, env, state, starts, pids }
})

const plain: LaunchOptions = { file: undefined, files: undefined, code: true }

const serve = Effect.fnUntraced(function* (options: LaunchOptions, env: Readonly<Record<string, string | undefined>>) {
  const target = yield* LaunchedBlender.make(options, env)
  return yield* Editors.client(yield* Editors.server(profile, [target]))
})

describe("blender: a Blender of the server's own", () => {
  test.live("is started once by the calls that need it, with the options, and ends with the Scope", function* () {
    const { env, home, pids, starts, state } = yield* place
    const scope = yield* Scope.make()
    const file = join(home, "chair.blend")
    writeFileSync(file, "")
    const { call, names } = yield* serve({ file, files: home, code: false }, env).pipe(Scope.provide(scope))
    assert.include(yield* names, "scene_save")
    assert.deepStrictEqual(readdirSync(home).sort(), ["blender", "chair.blend"])
    yield* Effect.all([call("scene.undo", {}), call("scene.undo", {}), call("scene.undo", {})], {
      concurrency: "unbounded",
    })
    const [args = [], ...others] = starts()
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(args.slice(0, 4), ["-b", "--factory-startup", file, "--python"])
    assert.deepStrictEqual(
      args
        .slice(5, -1)
        .join(" ")
        .replace(/\d{8}T\S+/, "…"),
      `-- --code off --files ${home} --recovery ${state}/… --info-dir ${state}`,
    )
    assert.strictEqual(args.at(-1), "--exit-with-parent")
    assert.strictEqual(statSync(state).mode & 0o777, 0o700)
    const [pid = 0] = pids()
    if (process.platform === "linux") {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
      assert.include(environment, "CUDA_VISIBLE_DEVICES=0")
      assert.notInclude(environment, "not for Blender")
    }
    yield* Scope.close(scope, Exit.void)
    yield* gone(pid)
  })

  test.live("is started again by the next call when it was killed", function* () {
    const { env, pids, starts } = yield* place
    const { call } = yield* serve(plain, env)
    const read = call("scene.query", { query: "{ scene { context { objectCount } } }" })
    yield* read
    const [first = 0] = pids()
    process.kill(first, "SIGKILL")
    yield* gone(first)
    assert.notStrictEqual((yield* read).isError, true)
    assert.lengthOf(starts(), 2)
  })

  test.live("that does not open the copy of a lost scene is started without it, and the copy stays", function* () {
    const { env, pids, starts, state } = yield* place
    const { call } = yield* serve(plain, env)
    const read = call("scene.query", { query: "{ scene { context { objectCount } } }" })
    yield* read
    const after = (at: number, name: string) => starts()[at]?.[(starts()[at]?.indexOf(name) ?? 0) + 1] ?? ""
    const copy = after(0, "--recovery")
    writeFileSync(copy, "")
    writeFileSync(join(state, "refuses-copies"), "")
    const [first = 0] = pids()
    process.kill(first, "SIGKILL")
    yield* gone(first)
    assert.notStrictEqual((yield* read).isError, true)
    assert.deepStrictEqual(
      starts().map((args) => args.includes("--restored-from")),
      [false, true, false],
    )
    assert.notStrictEqual(after(2, "--recovery"), copy)
    assert.include(readdirSync(state), basename(copy))
  })

  test.live("is found by no other server of the user, but by --editor with its process", function* () {
    const { env, home, pids } = yield* place
    const own = { ...env, XDG_RUNTIME_DIR: home, TMPDIR: home }
    const one = yield* serve(plain, own)
    const other = yield* serve(plain, own)
    yield* one.call("command.apply", { steps: [{ create: { primitive: "cube", name: "Chair" } }] })
    const object = { query: '{ scene { object(name: "Chair") { name } } }' }
    assert.include(Editors.textOf(yield* other.call("scene.query", object)), '"object": null')
    assert.lengthOf(pids(), 2)
    assert.deepStrictEqual(yield* BridgeFiles.running(own), [])
    const found = yield* Effect.forEach(pids(), (pid) => BridgeFiles.find({ by: "pid", pid }, own))
    const seen = yield* Effect.forEach(
      found,
      Effect.fnUntraced(function* (bridge) {
        const { call } = yield* Editors.client(yield* Editors.server(profile, [BridgeFiles.placeOf(bridge)]))
        return Editors.textOf(yield* call("scene.query", object)).includes('"Chair"')
      }),
    )
    assert.deepStrictEqual([...seen].sort(), [false, true])
  })

  test.live("that takes long to end keeps no command from ending with 0, and its recovery file is named", function* () {
    const { env, home, pids } = yield* place
    const { BLENDER_PATH, HOME } = env
    writeFileSync(join(home, "stubborn.blend"), "")
    const server = yield* run(["blender", "--launch", "--file", join(home, "stubborn.blend")], { BLENDER_PATH, HOME })
    yield* begin(server)
    server.send(call(2, "scene.undo", {}))
    yield* answer(server, 2)
    const [pid = 0] = pids()
    yield* Effect.addFinalizer(() => Effect.sync(() => void (isAlive(pid) && process.kill(pid, "SIGKILL"))))
    server.child.stdin.end()
    assert.strictEqual(yield* server.exit, 0)
    assert.isTrue(isAlive(pid))
    assert.match(server.errors(), /Blender is ending\. If its scene is unsaved, it goes to \S+\.blend\.$/m)
    process.kill(pid, "SIGKILL")
    yield* gone(pid)
  })

  test.live("has the newest 16 recovery files stay, and files of other names", function* () {
    const { env, state } = yield* place
    mkdirSync(state, { recursive: true, mode: 0o700 })
    const names = Array.from({ length: 20 }, (_, at) => `202601${at + 10}T000000-0123abcd.blend`)
    for (const name of ["1 chair.blend", ...names]) writeFileSync(join(state, name), "")
    const { call } = yield* serve(plain, env)
    yield* call("scene.undo", {})
    assert.deepStrictEqual(
      readdirSync(state).filter((name) => name.endsWith(".blend")),
      ["1 chair.blend", ...names.slice(4)],
    )
  })

  test.live("that ended in order is started again with the copy of its scene, which then has no file", function* () {
    const { env, home, pids, starts, state } = yield* place
    const file = join(home, "chair.blend")
    writeFileSync(file, "")
    const { call } = yield* serve({ ...plain, file }, env)
    const read = call("scene.query", { query: "{ scene { context { objectCount } } }" })
    yield* read
    const [first = []] = starts()
    const recovery = first[first.indexOf("--recovery") + 1] ?? ""
    writeFileSync(recovery, "")
    for (let at = 0; at < 20; at++) writeFileSync(join(state, `2999010${at}T000000-1.blend`), "")
    const [pid = 0] = pids()
    rmSync(join(state, `${pid}.json`))
    process.kill(pid, "SIGKILL")
    yield* gone(pid)
    assert.notStrictEqual((yield* read).isError, true)
    const [, second = []] = starts()
    assert.strictEqual(second[2], recovery)
    assert.strictEqual(second[second.indexOf("--restored-from") + 1], "")
    assert.isTrue(existsSync(recovery))
  })

  test.live.each<readonly [string, Readonly<Record<string, string>>, RegExp]>([
    ["is not on PATH", { PATH: "/nowhere", BLENDER_PATH: "" }, /no program blender on PATH.*BLENDER_PATH/],
    ["is not where BLENDER_PATH says", { BLENDER_PATH: "/no/blender" }, /BLENDER_PATH names no program: \/no\/blender/],
  ])("that %s fails calls with what to do, and the tools stay", function* ([, more, words]) {
    const { env } = yield* place
    const { call, names } = yield* serve(plain, { ...env, ...more })
    const failed = yield* call("scene.undo", {})
    assert.match(Editors.textOf(failed), words)
    assert.deepInclude(Editors.errorOf(failed), { code: "DISCOVERY_ERROR", delivery: "not-sent", retryable: true })
    assert.include(yield* names, "scene_undo")
  })

  test.live("that ends before its bridge listens fails the call with its last words", function* () {
    const { env, home } = yield* place
    writeFileSync(join(home, "broken.blend"), "")
    const { call } = yield* serve({ ...plain, file: join(home, "broken.blend") }, env)
    assert.match(
      Editors.textOf(yield* call("scene.undo", {})),
      /ended before its bridge listened \(exit code 1\).*File format is not supported/s,
    )
  })
})
