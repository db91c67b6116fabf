/**
 * A real Blender without a window that serves the bridge.
 */
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { framing } from "@zain/editor-link/infrastructure/link/LengthPrefix"
import { directory } from "@zain/testkit/Directory"
import * as RawSocket from "@zain/testkit/RawSocket"
import * as Effect from "effect/Effect"

/** The directory of the bridge. */
export const bridge = fileURLToPath(new URL("../bridge", import.meta.url))

/** Whether a program is installed. */
export const isThere = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined

/** What the line has that the bridge prints when it listens. */
interface Listening {
  readonly pid: number
  readonly port: number
}

/**
 * Starts Blender, and waits until the bridge listens. Both end with the Scope.
 *
 * - `env`: of Blender, and of programs that are to find its bridge
 * - `file`: that by which the bridge is found
 * - `running`: waits until it runs code
 * - `token`: what `hello` takes
 */
export const start = Effect.gen(function* () {
  const runtime = yield* directory
  const env = { PATH: process.env["PATH"] ?? "", HOME: runtime, XDG_RUNTIME_DIR: runtime, TMPDIR: runtime }
  const script = join(bridge, "zain_bridge", "run.py")
  const args = ["-b", "--factory-startup", "--python", script, "--", "--code", "on", "--files", runtime]
  const { blender, ended } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("blender", [...args, "--exit-with-parent"], { env, stdio: ["pipe", "pipe", "ignore"] })
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
      return { blender: child, ended }
    }),
    ({ blender, ended }) =>
      Effect.andThen(
        Effect.sync(() => blender.kill("SIGKILL")),
        Effect.promise(() => ended),
      ),
  )
  const listening = Effect.callback<Listening>((resume) => {
    const mark = "zain-bridge "
    createInterface({ input: blender.stdout }).on("line", (line) => {
      if (line.startsWith(mark)) resume(Effect.succeed(JSON.parse(line.slice(mark.length))))
    })
  })
  const early = Effect.andThen(
    Effect.promise(() => ended),
    Effect.die(new Error("Blender ended before the bridge listened.")),
  )
  const { pid, port } = yield* Effect.raceFirst(listening, early)
  const file = join(runtime, "zain-editors", `${pid}.json`)
  const { token } = JSON.parse(readFileSync(file, "utf8")) as { readonly token: string }
  const running = Effect.gen(function* () {
    const socket = yield* RawSocket.open(port)
    const ask = (id: string, method: string, params: object) => {
      const behind = socket.bytes().length
      socket.write(framing.encode(JSON.stringify({ jsonrpc: "2.0", id, method, params })))
      return Effect.map(socket.until(`"id":"${id}"`, behind), (text) => text.includes('"method":"code.run"'))
    }
    yield* ask("hello", "hello", { token })
    let isRunning = false
    for (let at = 0; !isRunning; at++) isRunning = yield* ask(String(at), "health", {})
  })
  return { blender, env, file, port, running: Effect.scoped(running), token }
})
