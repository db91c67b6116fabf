/**
 * The command `zain-editor-mcp` before fakes of Unity, and both agents in one private home with a scripted model before them.
 */
import { execFile, spawn } from "node:child_process"
import { promisify } from "node:util"
import type { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeEditor } from "../../packages/editor-server/src/fake/FakeEditor.ts"
import * as FakeUnity from "../../packages/editor-server/src/fake/FakeUnity.ts"
import * as FakeUnityLoop from "../../packages/editor-server/src/fake/FakeUnityLoop.ts"
import * as Programs from "./Programs.ts"
import { binaries, makeHome } from "./RealAgents.ts"

const run = promisify(execFile)

export type Profile = "unity" | "unity-loop"
export const profiles: ReadonlyArray<Profile> = ["unity", "unity-loop"]

/** How clients reach the server. */
export type Door = "stdio" | "http"
export const doors: ReadonlyArray<Door> = ["stdio", "http"]

/** A fake editor whose faults are not set. */
export type Editor = FakeEditor<never>

/** Starts a fake of the Unity that a profile is for. */
export const fakes: Readonly<Record<Profile, () => Effect.Effect<Editor, Error, Scope.Scope>>> = {
  unity: () => FakeUnity.start(),
  "unity-loop": () => FakeUnityLoop.start(),
}

/** The variable that names the port of Unity. */
const portVariables: Readonly<Record<Profile, string>> = { unity: "UNITY_PORT", "unity-loop": "UNITY_TCP_PORT" }

/** A port at which no editor listens. */
export const closedPort = 1

/** An MCP server, as the configuration of Claude Code has it. */
export type Server =
  | { readonly type: "http"; readonly url: string }
  | {
      readonly type: "stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
    }

/**
 * Makes a place. Its processes end with the Scope.
 *
 * - `server`: the editor server for the Unity at a port; over HTTP it is started here, over stdio by its client
 * - `agent`: runs the real Claude Code or the real Codex, and gives what it printed
 */
export const make = Effect.fnUntraced(function* (respond?: ScriptedModel.ScriptedModelOptions["respond"]) {
  const home = yield* makeHome(respond === undefined ? {} : { respond })
  const program = `${Programs.root}/packages/editor-server/dist/zain-editor-mcp.js`
  const server = Effect.fnUntraced(function* (profile: Profile, door: Door, port: number) {
    const env = { ...Programs.environment, [portVariables[profile]]: String(port) }
    const command = { command: process.execPath, args: [program, profile], env }
    if (door === "stdio") return { type: door, ...command } satisfies Server
    const args = [...command.args, "http", "--port", "0", "--json"]
    const { url } = yield* Programs.serve(() =>
      spawn(command.command, args, { env: { ...home.env, ...env }, stdio: ["ignore", "pipe", "inherit"] }),
    )
    return { type: door, url } satisfies Server
  })
  const agent = (name: keyof typeof binaries, args: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const env = { ...Programs.environment, ...home.env }
      const child = run(binaries[name], args, { cwd: home.work, env, maxBuffer: 2 ** 26 })
      child.child.stdin?.end()
      return (await child).stdout
    })
  return { ...home, server, agent }
})
