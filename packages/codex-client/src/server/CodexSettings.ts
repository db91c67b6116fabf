/**
 * What a thread is started with, and what its turns run with.
 *
 * Codex makes the directory of a thread that may write trusted, in its user's configuration and for good. From then on it
 * starts the MCP servers of the repository there, outside of any sandbox, and obeys its rules and its policy. So a thread
 * is started read-only, and its turns say what it may do.
 *
 * @see Codex 0.169 app-server: measured
 */
import { realpath } from "node:fs/promises"
import { dirname } from "node:path"
import type { AgentError } from "@zain/agent-server/AgentError"
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as Repository from "@zain/tool-server/Repository"
import * as Effect from "effect/Effect"
import type { CodexStartOptions } from "../CodexOptions.ts"
import { threadParams } from "./CodexThreadParams.ts"

/**
 * - `thread`: parameters of `thread/start` and `thread/resume`
 * - `turn`: parameters of each `turn/start`. They stay with the thread, and the same ones again change nothing
 * - `needsLogin`: whether turns need a login at OpenAI, and no other setting may lead elsewhere
 * - `warning`: what people should know of it
 */
export interface CodexSettings {
  readonly thread: JsonObject
  readonly turn: JsonObject
  readonly needsLogin: boolean
  readonly warning?: string
}

/** What the caller leaves out is what the user's own configuration says; the repository's has no say. */
export const make = Effect.fnUntraced(function* (
  server: { readonly request: (method: string, params: JsonObject) => Effect.Effect<JsonObject, AgentError> },
  options: CodexStartOptions & { readonly cwd: string },
): Effect.fn.Return<CodexSettings, AgentError> {
  const { cwd } = options
  const asked = threadParams(options)
  const names = yield* Effect.promise(() => namesOf(cwd))
  const [user, there] = yield* Effect.all(
    [server.request("config/read", {}), server.request("config/read", { cwd, includeLayers: true })],
    { concurrency: 2 },
  )
  const own = recordOf(user, "config")
  const given = finite(recordOf(asked, "config"), own)
  const thread = { ...asked, config: given }
  if (options.trustProject === true) {
    const config = { ...given, projects: levels(names, "trusted", given) }
    return { thread: { ...thread, config }, turn: {}, needsLogin: false }
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
  const turn = { ...sandbox(options.sandbox, own, given, level), approvalPolicy }
  if (!isCounted) return { thread: careful, turn, needsLogin }
  const untrusted = levels([...Object.keys(projects), ...names], "untrusted", given)
  const config = { ...given, projects: untrusted }
  return { thread: { ...careful, config }, turn, needsLogin, warning: warning(cwd) }
})

/** What of this is set may lead elsewhere than to OpenAI. */
const elsewhere = [["openai_base_url"], ["model_providers", "openai"], ["profile"]]

/** By itself Codex waits for a network for ever. */
const finite = (given: JsonObject, own: JsonObject): JsonObject => {
  const path = ["features", "unbounded_connection_retries"]
  return setting(own, given, ...path) === undefined ? { ...given, [path.join(".")]: false } : given
}

/** What a thread runs with that Codex has answered for. */
export const settled = (settings: CodexSettings, answer: JsonObject): CodexSettings => ({
  ...settings,
  needsLogin: settings.needsLogin && textOf(answer, "modelProvider") === "openai",
})

/**
 * Where a thread works and writes, by its settings and the answer to `thread/start` or `thread/resume`: Codex's own
 * configuration and an earlier start count too. `undefined` where no sandbox bounds it, or it is not said which.
 *
 * @see Codex 0.169 app-server, `SandboxPolicy`
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
  `Codex's own configuration trusts ${cwd}. The settings of the repository there do not count in this thread, and its AGENTS.md is not read. Give \`trust-project\` where they should.`

/** Codex has writable directories of its configuration by itself, and nothing else of it. */
const sandbox = (asked: string | undefined, own: JsonObject, given: JsonObject, level: unknown): JsonObject => {
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
        writableRoots: [],
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

/** What the caller's `config` says, by either way to name it, or else the user's own configuration. */
const setting = (own: JsonObject, given: JsonObject, ...path: ReadonlyArray<string>): unknown =>
  given[path.join(".")] ?? valueAt(given, path) ?? valueAt(own, path) ?? undefined

const valueAt = (record: JsonObject, [name = "", ...rest]: ReadonlyArray<string>): unknown =>
  rest.length === 0 ? record[name] : valueAt(recordOf(record, name), rest)

/** A layer of the repository that counts. */
const isOfProject = (layer: JsonObject): boolean =>
  textOf(recordOf(layer, "name"), "type") === "project" && (layer["disabledReason"] ?? undefined) === undefined

const levelOf = (projects: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => textOf(recordOf(projects, name), "trust_level")).find((level) => level !== undefined)

/** The table of trusted directories with these in it; what the caller's `config` says of them goes first. */
const levels = (names: ReadonlyArray<string>, level: "trusted" | "untrusted", given: JsonObject): JsonObject => ({
  ...Object.fromEntries(names.map((name) => [name, { trust_level: level }])),
  ...recordOf(given, "projects"),
})

/** By what Codex looks up whether it may trust a directory: its names, and its repository. */
const namesOf = async (cwd: string): Promise<ReadonlyArray<string>> => {
  const real = await realpath(cwd).catch(() => cwd)
  for (let at = real; ; at = dirname(at)) {
    const isRepository = Repository.isTop(at)
    if (isRepository || dirname(at) === at) return [...new Set(isRepository ? [cwd, real, at] : [cwd, real])]
  }
}
