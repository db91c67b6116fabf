/**
 * The commands of the agent server, in front of the pinned binaries, in private homes with scripted models.
 */
import { spawn } from "node:child_process"
import { mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { type AgentEnvironment, ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
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
    env: { ...Programs.environment, ...env },
    cwd: directory,
  }
}

export const agents: ReadonlyArray<AgentName> = ["codex", "claude-code"]

/**
 * - `respond`: the model; it follows the wishes of the prompts by default
 * - `model`, `config`: its name, and what else its configuration says, where the agent is Codex
 * - `retries`: leaves the agent its own patience with a model that fails; it has none otherwise
 * - `isRefused`: nothing listens at the address of the agent's model
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

/** One agent in a private home, and the model in front of it. */
export type Place = Effect.Success<ReturnType<typeof place>>

/**
 * Makes a place. Its processes end with the Scope.
 *
 * - `work`: an empty directory in the home, as the agent names it
 * - `command`: starts the agent's server
 * - `serve`: starts one that listens, until the Scope ends
 * - `alive`: the processes that live in this home; the servers count too
 */
export const place = Effect.fnUntraced(function* (agent: AgentName, options: PlaceOptions = {}) {
  const model = yield* ScriptedModel.make({ respond: options.respond ?? Wishes.play(agent) })
  const home: AgentEnvironment.AgentEnvironment = yield* homes[agent](model, options)
  const work = join(realpathSync(home.directory), "work")
  mkdirSync(work)
  const alive = () => OwnProcesses.exceptGuards(OwnProcesses.withEnvironment(home.directory))
  yield* Effect.addFinalizer(() => Effect.sync(() => alive().forEach(OwnProcesses.kill)))
  const command = (front: Front, args?: ReadonlyArray<string>) => commandLine(agent, home, front, args)
  const serve = (front: Exclude<Front, "stdio">, args: ReadonlyArray<string> = []) =>
    Programs.serve(() => {
      const line = command(front, ["--json", ...args])
      return spawn(line.command, line.args, { ...line, stdio: ["ignore", "pipe", "inherit"] })
    })
  return { agent, model, ...home, work, command, serve, alive }
})

/** How to reach the server of a place: at `url`, or as a process of one's own, started with `args`. */
export interface Way {
  readonly front: Front
  readonly url?: string
  readonly args?: ReadonlyArray<string>
}
