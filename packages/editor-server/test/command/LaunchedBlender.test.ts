/**
 * A Blender of the server's own, as a program that is none.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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
  const cache = process.env["NODE_COMPILE_CACHE"] ?? ""
  const start = `NODE_COMPILE_CACHE="${cache}" exec "${process.execPath}"`
  writeFileSync(program, `#!/bin/sh\n${start} --conditions=zain-source "${fixture}" "$@"\n`)
  chmodSync(program, 0o755)
  const secret = "not for Blender"
  const secrets = { SECRET_KEY: secret, NVIDIA_API_KEY: secret, CUDA_TOKEN: secret, BLENDER_USER_PASSWORD: secret }
  const places = { PATH: process.env["PATH"], HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home, BLENDER_PATH: program }
  const env = { ...places, CUDA_VISIBLE_DEVICES: "0", ...secrets }
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
  test.live(
    "is started once by the calls that need it, with the options, found by --editor with its process and by no other server, and ends with the Scope; the newest 16 recovery files stay, and files of other names",
    function* () {
      const { env, home, pids, starts, state } = yield* place
      mkdirSync(state, { recursive: true, mode: 0o700 })
      const names = Array.from({ length: 20 }, (_, at) => `202601${at + 10}T000000-0123abcd.blend`)
      for (const name of ["1 chair.blend", ...names]) writeFileSync(join(state, name), "")
      const scope = yield* Scope.make()
      const file = join(home, "chair.blend")
      writeFileSync(file, "")
      const { call, names: tools } = yield* serve({ file, files: home, code: false }, env).pipe(Scope.provide(scope))
      assert.include(yield* tools, "scene_save")
      assert.lengthOf(readdirSync(state), 21)
      const made = { steps: [{ create: { primitive: "cube", name: "Chair" } }] }
      yield* Effect.all([call("scene.undo", {}), call("scene.undo", {}), call("command.apply", made)], {
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
      assert.deepStrictEqual(
        readdirSync(state).filter((name) => name.endsWith(".blend")),
        ["1 chair.blend", ...names.slice(4)],
      )
      const [pid = 0] = pids()
      if (process.platform === "linux") {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
        assert.include(environment, "CUDA_VISIBLE_DEVICES=0")
        assert.notInclude(environment, "not for Blender")
      }
      assert.deepStrictEqual(yield* BridgeFiles.running(env), [])
      const bridge = BridgeFiles.placeOf(yield* BridgeFiles.find({ by: "pid", pid }, env))
      const named = yield* Editors.client(yield* Editors.server(profile, [bridge]))
      assert.include(
        Editors.textOf(yield* named.call("scene.query", { query: '{ scene { object(name: "Chair") { name } } }' })),
        '"name": "Chair"',
      )
      yield* Scope.close(scope, Exit.void)
      yield* gone(pid)
    },
  )

  test.live(
    "is started again by the next call: with the copy of a scene that was lost, which then has no file, and without a copy that it does not open, which stays",
    function* () {
      const { env, home, pids, starts, state } = yield* place
      const file = join(home, "chair.blend")
      writeFileSync(file, "")
      const { call } = yield* serve({ ...plain, file }, env)
      const read = call("scene.query", { query: "{ scene { context { objectCount } } }" })
      const after = (at: number, name: string) => starts()[at]?.[(starts()[at]?.indexOf(name) ?? 0) + 1] ?? ""
      const kill = Effect.fnUntraced(function* (isInOrder: boolean) {
        const [pid = 0] = pids()
        if (isInOrder) rmSync(join(state, `${pid}.json`))
        process.kill(pid, "SIGKILL")
        yield* gone(pid)
        assert.notStrictEqual((yield* read).isError, true)
      })
      yield* read
      const copy = after(0, "--recovery")
      writeFileSync(copy, "")
      const newer = Array.from({ length: 20 }, (_, at) => join(state, `29990101T0000${at + 10}-0123abcd.blend`))
      for (const one of newer) writeFileSync(one, "")
      yield* kill(true)
      assert.deepStrictEqual([starts()[1]?.[2], after(1, "--restored-from")], [copy, ""])
      for (const one of newer) rmSync(one, { force: true })
      writeFileSync(join(state, "refuses-copies"), "")
      yield* kill(false)
      assert.deepStrictEqual(
        starts().map((args) => args.includes("--restored-from")),
        [false, true, true, false],
      )
      assert.notStrictEqual(after(3, "--recovery"), copy)
      assert.isTrue(existsSync(copy))
    },
  )

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
