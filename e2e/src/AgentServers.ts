/**
 * The commands of the agent server, in front of the pinned binaries, in private homes with scripted models.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { dirname } from "node:path"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { type AgentEnvironment, ScriptedModel, type ScriptedModelError } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as OwnProcesses from "./OwnProcesses.ts"
import * as Programs from "./Programs.ts"
import { binaries } from "./RealAgents.ts"
import * as Wishes from "./Wishes.ts"

export type AgentName = Wishes.AgentName

/** How clients reach the server. */
export type Front = "stdio" | "http" | "sse"

/** The agents' own programs. */
export const programs = { codex: binaries.codex, "claude-code": binaries.claudeCode }

/** A command line, and the environment that it has, and no more. */
export interface CommandLine {
  readonly command: string
  readonly args: Array<string>
  readonly env: Record<string, string>
  readonly cwd: string
}

/** What starts the server of an agent in this home. */
export const commandLine = (
  agent: AgentName,
  { directory, env }: AgentEnvironment.AgentEnvironment,
  front: Front,
  args: ReadonlyArray<string> = [],
): CommandLine => {
  const program = `${Programs.root}/packages/cli/dist/zain-${agent}-mcp.js`
  const own = ["--command", programs[agent], "--env", "SCRIPTED_MODEL_API_KEY"]
  return {
    command: process.execPath,
    args: [program, front, ...own, ...args],
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, ...compileCache(), ...env },
    cwd: directory,
  }
}

/** A server that listens. */
export interface Served {
  readonly url: string
  readonly process: ChildProcess
}

/**
 * One agent in a private home, and the model in front of it.
 *
 * - `command`: starts the agent's server
 * - `serve`: starts one that listens, until the Scope ends
 * - `alive`: the processes that live in this home; the servers count too
 */
export interface Place {
  readonly agent: AgentName
  readonly model: ScriptedModel.ScriptedModel
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  readonly command: (front: Front, args?: ReadonlyArray<string>) => CommandLine
  readonly serve: (
    front: Exclude<Front, "stdio">,
    args?: ReadonlyArray<string>,
  ) => Effect.Effect<Served, never, Scope.Scope>
  readonly alive: () => ReadonlyArray<OwnProcesses.OwnProcess>
}

export const agents: ReadonlyArray<AgentName> = ["codex", "claude-code"]

/**
 * - `respond`: the model; it follows the wishes of the prompts by default
 * - `model`, `config`: its name, and what else its configuration says, where the agent is Codex
 * - `retries`: leaves the agent its own patience with a model that fails; it has none otherwise
 * - `isRefused`: nobody listens where the agent looks for its model
 */
export interface PlaceOptions extends Pick<ScriptedModel.ScriptedModelOptions, "respond"> {
  readonly model?: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly retries?: boolean
  readonly isRefused?: boolean
}

const homes = {
  codex: (model: ScriptedModel.ScriptedModel, { config, isRefused, model: name, retries }: PlaceOptions) =>
    model.codex(undefined, {
      approvalPolicy: "on-request",
      ...(name === undefined ? {} : { model: name }),
      config: {
        ...config,
        model_providers: {
          scripted: {
            ...(isRefused === true ? { base_url: `${nowhere}/v1` } : {}),
            // What Codex has by itself.
            ...(retries === true ? { request_max_retries: 4, stream_max_retries: 5 } : {}),
          },
        },
      },
    }),
  "claude-code": (model: ScriptedModel.ScriptedModel, { isRefused, retries }: PlaceOptions) =>
    Effect.map(model.claudeCode(), ({ directory, env: { CLAUDE_CODE_MAX_RETRIES, ...env } }) => ({
      directory,
      env: {
        ...env,
        ...(retries === true ? {} : { CLAUDE_CODE_MAX_RETRIES: CLAUDE_CODE_MAX_RETRIES ?? "0" }),
        ...(isRefused === true ? { ANTHROPIC_BASE_URL: nowhere } : {}),
      },
    })),
}

/** A port that no program of any test ever opens. */
const nowhere = "http://127.0.0.1:1"

/** Makes a place. Its processes end with the Scope, whatever became of them. */
export const place = Effect.fnUntraced(function* (
  agent: AgentName,
  options: PlaceOptions = {},
): Effect.fn.Return<Place, ScriptedModelError.ScriptedModelError, Scope.Scope> {
  const model = yield* ScriptedModel.make({ respond: options.respond ?? Wishes.play(agent) })
  const home: AgentEnvironment.AgentEnvironment = yield* homes[agent](model, options)
  const { directory } = home
  const alive = () => OwnProcesses.exceptGuards(OwnProcesses.withEnvironment(directory))
  yield* Effect.addFinalizer(() => Effect.sync(() => alive().forEach(OwnProcesses.kill)))
  const command: Place["command"] = (front, args) => commandLine(agent, home, front, args)
  const serve: Place["serve"] = (front, args = []) =>
    Effect.acquireRelease(
      Effect.promise(async (): Promise<Served> => {
        const { args: all, command: node, cwd, env } = command(front, ["--json", ...args])
        const server = spawn(node, all, { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
        return { url: await Programs.listening(server), process: server }
      }),
      ({ process: server }) => Effect.promise(() => Programs.stop(server)),
    )
  return { agent, model, ...home, command, serve, alive }
})

/** How to reach the server of a place: at `url`, or as a process of one's own, started with `args`. */
export interface Way {
  readonly front: Front
  readonly url?: string
  readonly args?: ReadonlyArray<string>
}
