/**
 * The command `zain` in a private home, with the real agents on a private PATH, a scripted model, and a proxy that refuses and
 * records every connection to another host.
 */
import { spawn } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import * as Effect from "effect/Effect"
import { serving } from "../../packages/cli/testing/doctor/Serving.ts"
import { end, root } from "./Programs.ts"
import { binaries, makeHome } from "./RealAgents.ts"

export type Agent = keyof typeof binaries

/**
 * - `directory`: the home; commands start in its `work`
 * - `zain`: runs the command to its end, with these agents on PATH
 * - `agent`: runs an agent's own command
 * - `strangers`: the other hosts to which a connection was tried
 * - `alive`: the processes that live in this home
 */
export const make = Effect.gen(function* () {
  const home = yield* makeHome()
  const { directory, work } = home
  const proxy = yield* listen
  // Links Node alone: its own directory may hold agents too.
  const node = join(directory, "node-alone")
  yield* Effect.promise(async () => {
    await mkdir(node)
    await symlink(process.execPath, join(node, "node"))
  })
  const usual: Readonly<Record<string, string>> = {
    ...home.env,
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
    NO_COLOR: "1",
    ...compileCache(),
  }

  const run = (command: ReadonlyArray<string>, env: Readonly<Record<string, string | undefined>>) =>
    Effect.promise(() => {
      const [file = "", ...args] = command
      return end(spawn(file, args, { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] }))
    })
  const zain = Effect.fnUntraced(function* (
    args: ReadonlyArray<string>,
    agents: ReadonlyArray<Agent> = [],
    env: Readonly<Record<string, string | undefined>> = {},
  ) {
    const bin = join(directory, ["bin", ...agents].join("-"))
    yield* Effect.promise(() => mkdir(bin, { recursive: true }))
    for (const agent of agents) {
      const file = join(bin, agent === "claudeCode" ? "claude" : "codex")
      yield* Effect.promise(() => writeFile(file, `#!/bin/sh\nexec ${starter(agent)} "$@"\n`, { mode: 0o755 }))
    }
    const PATH = [bin, node, "/usr/bin", "/bin"].join(delimiter)
    const program = join(root, "packages/cli/dist/zain.js")
    return yield* run([process.execPath, program, ...args], { ...usual, PATH, ...env })
  })
  const agent = (name: Agent, args: ReadonlyArray<string>) =>
    run(["/bin/sh", "-c", `exec ${starter(name)} "$@"`, "sh", ...args], { ...usual, PATH: process.env["PATH"] })
  return { ...home, env: usual, zain, agent, strangers: proxy.strangers }
})

const starter = (agent: Agent): string =>
  agent === "codexNative" ? `'${process.execPath}' '${binaries[agent]}'` : `'${binaries[agent]}'`

const listen = Effect.gen(function* () {
  const strangers: Array<string> = []
  const { origin, server } = yield* serving((request, response) => {
    strangers.push(String(request.url))
    response.writeHead(502).end()
  })
  server.on("connect", ({ url }, socket) => {
    strangers.push(String(url))
    socket.end("HTTP/1.1 502 No\r\n\r\n")
  })
  return { url: origin, strangers }
})
