/**
 * The command `zain-editor-mcp` with fakes of editors, and both agents in one private home with a scripted model.
 */
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import * as FakeBlender from "@zain/editor-blender/fake/FakeBlender"
import type { FakeEditor } from "@zain/editor-link/fake/FakeEditor"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import * as FakeUnityLoop from "@zain/editor-unity-loop/fake/FakeUnityLoop"
import type { ScriptedModel } from "@zain/scripted-model"
import { directory } from "@zain/testkit/Directory"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Programs from "./Programs.ts"
import { binaries, makeHome } from "./RealAgents.ts"

const run = promisify(execFile)

export type Profile = "unity" | "unity-loop" | "blender"

/** How clients reach the server. */
export type Door = "stdio" | "http"
export const doors: ReadonlyArray<Door> = ["stdio", "http"]

/** A fake editor whose faults are not set. */
export type Editor = FakeEditor<never>

/** The variables by which the editor server finds an editor. */
export type Where = Readonly<Record<string, string>>

/**
 * What a profile needs here.
 *
 * - `start`: a fake of its editor; `absent`: variables that name no editor
 * - `needsToken`: whether a server that listens admits clients by a token only
 */
interface Way {
  readonly start: Effect.Effect<{ readonly editor: Editor; readonly where: Where }, Error, Scope.Scope>
  readonly absent: Effect.Effect<Where, never, Scope.Scope>
  readonly needsToken: boolean
}

/** A Unity is found by its port; at port 1 no editor listens. */
const byPort = (variable: string, start: () => Effect.Effect<Editor, Error, Scope.Scope>): Way => ({
  start: Effect.map(Effect.suspend(start), (editor) => ({ editor, where: { [variable]: String(editor.port) } })),
  absent: Effect.succeed({ [variable]: "1" }),
  needsToken: false,
})

const runtime = Effect.map(directory, (path) => ({ XDG_RUNTIME_DIR: path }))

export const ways: Readonly<Record<Profile, Way>> = {
  unity: byPort("UNITY_PORT", () => FakeUnity.start()),
  "unity-loop": byPort("UNITY_TCP_PORT", () => FakeUnityLoop.start()),
  blender: {
    start: Effect.gen(function* () {
      const where = yield* runtime
      const editor = yield* FakeBlender.start({ directory: join(where.XDG_RUNTIME_DIR, "zain-editors") })
      return { editor, where }
    }),
    absent: runtime,
    needsToken: true,
  },
}

/** An MCP server, as the configuration of Claude Code has it. */
export type Server =
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly type: "stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
    }

/** The variable of an agent's environment that has the token of the server. */
export const tokenVariable = "EDITOR_SERVER_TOKEN"

/**
 * Makes a place. Its processes end with the Scope.
 *
 * - `server`: the editor server for an editor; over HTTP it is started here, over stdio by its client
 * - `agent`: runs the real Claude Code or the real Codex, and returns its output
 */
export const make = Effect.fnUntraced(function* (respond?: ScriptedModel.ScriptedModelOptions["respond"]) {
  const home = yield* makeHome(respond === undefined ? {} : { respond })
  const program = `${Programs.root}/packages/editor-server/dist/zain-editor-mcp.js`
  const token = randomBytes(24).toString("hex")
  const tokenFile = join(home.directory, "tokens")
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
  const server = Effect.fnUntraced(function* (profile: Profile, door: Door, where: Where) {
    const env = { ...Programs.environment, ...where }
    const command = { command: process.execPath, args: [program, profile], env }
    if (door === "stdio") return { type: door, ...command } satisfies Server
    const { needsToken } = ways[profile]
    const args = [...command.args, "http", "--port", "0", "--json", ...(needsToken ? ["--token-file", tokenFile] : [])]
    const { url } = yield* Programs.serve(() =>
      spawn(command.command, args, { env: { ...home.env, ...env }, stdio: ["ignore", "pipe", "inherit"] }),
    )
    return { type: door, url, headers: needsToken ? { Authorization: `Bearer ${token}` } : {} } satisfies Server
  })
  const agent = (name: keyof typeof binaries, args: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const env = { ...Programs.environment, ...home.env, [tokenVariable]: token }
      const child = run(binaries[name], args, { cwd: home.work, env, maxBuffer: 2 ** 26 })
      child.child.stdin?.end()
      return (await child).stdout
    })
  return { ...home, server, agent }
})
