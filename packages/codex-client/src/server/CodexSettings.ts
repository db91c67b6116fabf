/**
 * Parameters of threads and of their turns.
 *
 * When a thread that may write starts, Codex adds its directory to the trusted ones in the user's `config.toml`. In a trusted
 * directory it starts the MCP servers of the repository without a sandbox, and applies its rules and policies. So threads
 * start read-only, and each turn sets the sandbox.
 *
 * @see Codex 0.169 app-server: measured
 */
import { realpath } from "node:fs/promises"
import { dirname } from "node:path"
import type { AgentError } from "@zain/agent-server/AgentError"
import * as AgentQuestions from "@zain/agent-server/AgentQuestions"
import * as BackgroundOptions from "@zain/agent-server/BackgroundOptions"
import type { Kept } from "@zain/agent-server/ClientTools"
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as Workspace from "@zain/agent-server/Workspace"
import * as Repository from "@zain/tool-server/Repository"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CodexStartOptions } from "../CodexOptions.ts"
import { roots, threadParams } from "./CodexThreadParams.ts"

/** The parameters of a thread. */
export interface CodexSettings {
  /** Parameters of `thread/start` and `thread/resume`. */
  readonly thread: JsonObject
  /** Parameters of each `turn/start`. They stay with the thread; repeating them changes nothing. */
  readonly turn: JsonObject
  /** Whether turns require a login at OpenAI, because no setting points to another server. */
  readonly needsLogin: boolean
  /** How long a command may run after the last message of its agent; `undefined`: as long as it does. */
  readonly grace: Duration.Duration | undefined
  /** Whether work goes on after the result of its turn. */
  readonly isKept: boolean
  /** Parameters of `turn/start` for another sandbox. */
  readonly sandboxOf: (mode: CodexStartOptions["sandbox"]) => JsonObject
  /** The answer to `thread/start` or `thread/resume`: what Codex has made of the parameters. */
  readonly held: JsonObject
  /** The MCP servers that the thread's options name. */
  readonly servers: CodexStartOptions["mcpServers"]
  /** What an earlier turn has left to set back. */
  readonly due?: JsonObject
  /** The tools of the client's own that the thread began with. */
  readonly tools?: Kept
  /** A warning for people, emitted with each turn. */
  readonly warning?: string
}

/** Makes the parameters. Omitted options default to the user's configuration; the repository's is ignored. */
export const make = Effect.fnUntraced(function* (
  server: { readonly request: (method: string, params: JsonObject) => Effect.Effect<JsonObject, AgentError> },
  options: CodexStartOptions & { readonly cwd: string },
): Effect.fn.Return<CodexSettings, AgentError> {
  const { cwd, mcpServers: servers } = options
  const asked = threadParams(options)
  const directories = yield* Workspace.further(options.directories ?? [])
  const names = yield* Effect.promise(() => namesOf(cwd))
  const [user, there] = yield* Effect.all(
    [server.request("config/read", {}), server.request("config/read", { cwd, includeLayers: true })],
    { concurrency: 2 },
  )
  const own = recordOf(user, "config")
  const finished = unlessSet(recordOf(asked, "config"), own, retries, false)
  const asking = (yield* AgentQuestions.Answers) ? unlessSet(finished, own, questions, true) : finished
  const given = closed(asking, own, options.background)
  const thread = { ...asked, config: given }
  const common = (level: unknown) => ({
    isKept: options.background === "keep",
    grace: graceOf(options),
    held: {},
    servers,
    sandboxOf: (mode: CodexStartOptions["sandbox"]) => sandbox(mode, own, given, level, directories),
  })
  if (options.trustProject === true) {
    const writable = setting(own, given, "sandbox_workspace_write", "writable_roots")
    const further = { [roots]: [...(Array.isArray(writable) ? writable : []), ...directories] }
    const config = {
      ...given,
      ...(directories.length === 0 ? {} : further),
      projects: levels(names, "trusted", given),
    }
    return { thread: { ...thread, config }, turn: {}, needsLogin: false, ...common("trusted") }
  }
  const isSet = (path: ReadonlyArray<string>) => setting(own, given, ...path) !== undefined
  const isInFile = (setting(own, given, "cli_auth_credentials_store") ?? "file") === "file"
  const needsLogin = isInFile && !elsewhere.some(isSet)
  const projects = recordOf(own, "projects")
  const isCounted = recordsOf(there, "layers").some(isOfProject)
  const level = isCounted ? "trusted" : levelOf(projects, names)
  const approvalPolicy =
    options.approvalPolicy ??
    setting(own, given, "approval_policy") ??
    (level === "untrusted" ? "untrusted" : "on-request")
  const careful = { ...thread, sandbox: "read-only", approvalPolicy }
  const rest = common(level)
  const turn = { ...rest.sandboxOf(options.sandbox), approvalPolicy }
  if (!isCounted) return { thread: careful, turn, needsLogin, ...rest }
  const untrusted = levels([...Object.keys(projects), ...names], "untrusted", given)
  const config = { ...given, projects: untrusted }
  return { thread: { ...careful, config }, turn, needsLogin, ...rest, warning: warning(cwd) }
})

/** No setting takes background commands away, so they end with the agent's message. */
const graceOf = (options: CodexStartOptions): Duration.Duration | undefined =>
  options.background === "keep" ? undefined : BackgroundOptions.graceOf(options)

/**
 * A goal starts turns by itself, also when a thread is loaded, so there are none by default. With `background: "off"` there are
 * no sub-agents either.
 */
const closed = (given: JsonObject, own: JsonObject, background: CodexStartOptions["background"]): JsonObject => {
  const goals = ["features", "goals"] as const
  if (background !== "off") return unlessSet(given, own, goals, false)
  return switched(switched(given, ...goals, false), "agents", "enabled", false)
}

const switched = (given: JsonObject, table: string, key: string, value: boolean): JsonObject => ({
  ...given,
  ...(given[table] === undefined ? {} : { [table]: { ...recordOf(given, table), [key]: value } }),
  [`${table}.${key}`]: value,
})

/** Settings that may point to another server than OpenAI's. */
const elsewhere = [["openai_base_url"], ["model_providers", "openai"], ["profile"]]

/** By default Codex retries without limit while there is no network. */
const retries = ["features", "unbounded_connection_retries"] as const

/** The model's tool for questions, which Codex by default offers in plan mode only. */
const questions = ["features", "default_mode_request_user_input"] as const

const unlessSet = (given: JsonObject, own: JsonObject, path: readonly [string, string], value: boolean): JsonObject =>
  setting(own, given, ...path) === undefined ? switched(given, ...path, value) : given

/** The settings after Codex's answer, which names the model and its provider. */
export const settled = (settings: CodexSettings, answer: JsonObject): CodexSettings => ({
  ...settings,
  held: answer,
  needsLogin: settings.needsLogin && textOf(answer, "modelProvider") === "openai",
})

/** The settings with one more warning. */
export const warned = (settings: CodexSettings, also: string): CodexSettings => ({
  ...settings,
  warning: settings.warning === undefined ? also : `${also} ${settings.warning}`,
})

/**
 * The directories of a thread and its writable ones, by its settings and the answer to `thread/start` or `thread/resume`, which
 * includes Codex's configuration and an earlier start. `undefined` without a sandbox, or when the answer does not name them.
 *
 * @see Codex 0.171 app-server, `SandboxPolicy`
 */
export const placesOf = ({ turn }: CodexSettings, answer: JsonObject): ReadonlyArray<string> | undefined => {
  const policy = recordOf(turn, "sandboxPolicy")
  const [cwd, type] = [textOf(answer, "cwd"), textOf(policy, "type")]
  if (cwd === undefined) return undefined
  if (type === "readOnly") return [cwd]
  if (type !== "workspaceWrite") return undefined
  return [cwd, ...textsOf(answer, "runtimeWorkspaceRoots"), ...textsOf(policy, "writableRoots")]
}

const warning = (cwd: string): string =>
  `Codex's own configuration trusts ${cwd}. In this thread, the repository's settings do not apply and its AGENTS.md is not read. Set \`trust-project\` to apply them.`

/** Codex adds the writable directories of its configuration itself, but not the other settings. */
const sandbox = (
  asked: string | undefined,
  own: JsonObject,
  given: JsonObject,
  level: unknown,
  writableRoots: ReadonlyArray<string>,
): JsonObject => {
  const mode = asked ?? setting({}, given, "sandbox_mode")
  const permissions = mode === undefined ? setting(own, given, "default_permissions") : undefined
  if (permissions !== undefined) return { permissions }
  switch (mode ?? setting(own, given, "sandbox_mode") ?? (level === "trusted" ? "workspace-write" : "read-only")) {
    case "danger-full-access":
      return { sandboxPolicy: { type: "dangerFullAccess" } }
    case "workspace-write": {
      const is = (name: string) => setting(own, given, "sandbox_workspace_write", name) === true
      const sandboxPolicy = {
        type: "workspaceWrite",
        writableRoots,
        networkAccess: is("network_access"),
        excludeTmpdirEnvVar: is("exclude_tmpdir_env_var"),
        excludeSlashTmp: is("exclude_slash_tmp"),
      }
      return { sandboxPolicy }
    }
    default:
      return { sandboxPolicy: { type: "readOnly", networkAccess: false } }
  }
}

/** A value of the caller's `config`, by its dotted or nested key, else of the user's configuration. */
const setting = (own: JsonObject, given: JsonObject, ...path: ReadonlyArray<string>): unknown =>
  given[path.join(".")] ?? valueAt(given, path) ?? valueAt(own, path) ?? undefined

const valueAt = (record: JsonObject, [name = "", ...rest]: ReadonlyArray<string>): unknown =>
  rest.length === 0 ? record[name] : valueAt(recordOf(record, name), rest)

/** Whether a layer is an active one of the repository. */
const isOfProject = (layer: JsonObject): boolean =>
  textOf(recordOf(layer, "name"), "type") === "project" && (layer["disabledReason"] ?? undefined) === undefined

const levelOf = (projects: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => textOf(recordOf(projects, name), "trust_level")).find((level) => level !== undefined)

/** The table of trusted directories with these added; the caller's `config` takes precedence. */
const levels = (names: ReadonlyArray<string>, level: "trusted" | "untrusted", given: JsonObject): JsonObject => ({
  ...Object.fromEntries(names.map((name) => [name, { trust_level: level }])),
  ...recordOf(given, "projects"),
})

/** The keys by which Codex looks up a directory's trust: the directory with and without links, and its repository. */
const namesOf = async (cwd: string): Promise<ReadonlyArray<string>> => {
  const real = await realpath(cwd).catch(() => cwd)
  for (let at = real; ; at = dirname(at)) {
    const isRepository = Repository.isTop(at)
    if (isRepository || dirname(at) === at) return [...new Set(isRepository ? [cwd, real, at] : [cwd, real])]
  }
}
