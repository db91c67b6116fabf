/**
 * The first minute of a user of `zain-editor-mcp`: installed alone, from its tarball and no registry, it serves a fake Unity.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { run, StepFailed } from "./Steps.ts"
import type { Tarball } from "./Tarballs.ts"

const packageName = "@zain/editor-server"

/** The minimum number of Unity's tools. */
const minTools = 100

/** The limit of the whole trial, in ms. */
const limit = 60_000

const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "pack-check", version: "0" } }

/** A class of C#, which only the packed parser can read. */
const source = "class Door {\n  void Open() {}\n}\n"

/** Installs the package as in its README, and creates an object in the fake. */
export const check = async (place: string, tarballs: ReadonlyArray<Tarball>): Promise<void> => {
  const start = performance.now()
  const [prefix, home] = [join(place, "global"), join(place, "stranger")]
  mkdirSync(join(home, "Assets"), { recursive: true })
  writeFileSync(join(home, "Assets/Door.cs"), source)
  const file = tarballs.find(({ name }) => name === packageName)?.file ?? packageName
  await run(place, ["npm", "install", "--global", "--prefix", prefix, "--offline", "--no-audit", "--no-fund", file])
  const PATH = [join(prefix, "bin"), dirname(process.execPath)].join(delimiter)
  const env = { PATH, HOME: home, UNITY_PROJECT_ROOT: home }
  const server = spawn("zain-editor-mcp", ["unity", "--fake"], { cwd: home, env, timeout: limit })
  server.stdin.on("error", () => {})
  const ended = once(server, "close").then(
    ([code]) => `exit code ${code}`,
    (cause: Error) => cause.message,
  )
  const errors = textOf(server.stderr)
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  let id = 0
  const ask = async (method: string, params: object): Promise<string> => {
    send({ id: ++id, method, params })
    for (;;) {
      const { done, value = "" } = await lines.next()
      if (done === true) throw new StepFailed(`It ended before it answered ${method}: ${await ended}\n${await errors}`)
      if (JSON.parse(value).id === id) return value
    }
  }
  const call = async (name: string, args: object, expected: string) => {
    const answer = await ask("tools/call", { name, arguments: args })
    if (JSON.parse(answer).result?.isError === true || !answer.includes(expected)) {
      throw new StepFailed(`${name} answered\n${answer}\nand not ${expected}`)
    }
  }
  try {
    await ask("initialize", hello)
    send({ method: "notifications/initialized" })
    const { tools } = JSON.parse(await ask("tools/list", {})).result
    if (tools.length < minTools) throw new StepFailed(`It lists ${tools.length} tools.`)
    await call("create_gameobject", { name: "Chair", primitiveType: "cube" }, "/Chair")
    await call("find_gameobject", { name: "chair" }, "/Chair")
    await call("script_symbols_get", { path: "Assets/Door.cs" }, "Open")
  } finally {
    server.stdin.end()
  }
  const end = await ended
  if (end !== "exit code 0") throw new StepFailed(`At the end of its input: ${end}\n${await errors}`)
  const took = performance.now() - start
  if (took > limit) throw new StepFailed(`It took ${Math.round(took / 1000)} s.`)
}

const textOf = async (stream: Readable): Promise<string> => {
  let text = ""
  for await (const piece of stream.setEncoding("utf8")) text += piece
  return text
}
