/**
 * Settings and instructions of a process, which may be secret, or too long for an argument.
 *
 * @see Claude Code 2.1.329: measured. It drops invalid settings without an error
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { AgentError, invalidConfig, startFailed } from "@zain/agent-server/AgentError"
import * as HandedServers from "@zain/agent-server/HandedServers"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { clip, maxEchoLength } from "@zain/command/Clip"
import type { HostGuard } from "@zain/process/HostGuard"
import { isRecord } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import * as McpServerOption from "@zain/process/McpServerOption"
import * as PrivateDirectory from "@zain/process/PrivateDirectory"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClaudeCodeStartOptions } from "../ClaudeCodeOptions.ts"
import type * as DroppedRules from "../native/DroppedRules.ts"
import type { Handshake } from "./ClaudeCodeHandshake.ts"
import * as ClaudeCodeSettingsFiles from "./ClaudeCodeSettingsFiles.ts"
import * as DefaultSettings from "./DefaultSettings.ts"

/** The settings and instructions of a thread. */
export interface ClaudeCodeSetup {
  /** Whether the caller's options set any of it. */
  readonly isGiven: boolean
  /** Settings by the option that they come from. */
  readonly parts: ReadonlyArray<readonly [option: string, settings: JsonObject]>
  /** Whether faults of settings files, and unknown names in the option `settings`, are ignored. */
  readonly isLenient: boolean
  /** The rules of settings files that must apply. */
  readonly restrictions: ReadonlyArray<DroppedRules.Restriction>
  /** Settings of every thread. */
  readonly defaults: JsonObject
  /** All settings combined. */
  readonly settings: JsonObject
  /** Replaces Claude Code's system prompt. */
  readonly systemPrompt: string | undefined
  /** Instructions after Claude Code's system prompt. */
  readonly appendSystemPrompt: string | undefined
  /** The MCP servers of the caller's options, as Claude Code reads them. */
  readonly mcpServers: JsonObject
  /** The schema of the answers. */
  readonly jsonSchema?: JsonObject | undefined
  /** The name of the server with the tools of the client's own. */
  readonly toolServer?: string | undefined
}

/**
 * Makes the setup of a thread.
 *
 * @param configDirectory see `DefaultSettings.make`
 * @param restrictions the rules of settings files
 * @param toolServer see `ClaudeCodeSetup`
 */
export const make = (
  options: ClaudeCodeStartOptions,
  configDirectory: string,
  restrictions: ClaudeCodeSetup["restrictions"] = [],
  toolServer?: string,
): ClaudeCodeSetup => {
  const { agent, allowedTools: allow, directories, disallowedTools: deny, model, settings } = options
  const { baseInstructions: systemPrompt, developerInstructions: appendSystemPrompt } = options
  const parts: Array<readonly [string, JsonObject]> = []
  // The variable takes precedence over the model of the user's settings and of a resumed thread.
  if (model !== undefined) parts.push(["model", { env: { ANTHROPIC_MODEL: model } }])
  if (agent !== undefined) parts.push(["agent", { agent }])
  if (allow !== undefined) parts.push(["allowed-tools", { permissions: { allow } }])
  if (deny !== undefined) parts.push(["disallowed-tools", { permissions: { deny } }])
  if (directories !== undefined) parts.push(["directories", { permissions: { additionalDirectories: directories } }])
  const mcpServers = Object.fromEntries(
    HandedServers.given(options.mcpServers).map(([name, { required: _, tools: __, ...server }]) => [
      name,
      server.type === "stdio"
        ? { ...server, env: McpServerOption.plain(server.env) }
        : { ...server, headers: McpServerOption.plain(server.headers) },
    ]),
  )
  const asked = parts.reduce<JsonObject>((all, [, part]) => lay(all, part), settings ?? {})
  if (settings !== undefined) parts.push(["config", asked])
  const isGiven = parts.length > 0 || systemPrompt !== undefined || appendSystemPrompt !== undefined
  const defaults = DefaultSettings.make(options, configDirectory, toolServer)
  const isLenient = options.ignoreInvalidSettings === true
  const all = { parts, restrictions, defaults, mcpServers, settings: lay(asked, defaults) }
  return { ...all, isGiven, isLenient, systemPrompt, appendSystemPrompt, toolServer }
}

/** Passes the setup by the control protocol, before Claude Code reads settings. Nothing is written to disk. */
export const byProtocol = (setup: ClaudeCodeSetup): Handshake => ({
  ...check(setup, {
    settings: setup.settings,
    ...(setup.systemPrompt === undefined ? {} : { systemPrompt: [setup.systemPrompt] }),
    ...(setup.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: setup.appendSystemPrompt }),
    ...(Object.keys(setup.mcpServers).length === 0 ? {} : { mcpServers: setup.mcpServers }),
  }),
  args: ["--await-initialize", "--initialize-fields=settings"],
})

/** Whether a Claude Code is too old for `byProtocol`, by its last stderr output. */
export const isTooOld = (reason: string): boolean =>
  /unknown option '--(await-initialize|initialize-fields)|does not take "settings" in --initialize-fields/.test(reason)

/**
 * Passes the setup in files that only their owner can read. Their directory is removed with the Scope, and when this process
 * ends. Fails with `start-failed`.
 */
export const inFiles = (setup: ClaudeCodeSetup): Effect.Effect<Handshake, AgentError, Scope.Scope | HostGuard> =>
  Effect.gen(function* () {
    if (Object.keys(setup.mcpServers).length > 0) return yield* serverless
    const directory = yield* PrivateDirectory.make()
    const files = [
      ["settings", JsonText.write(setup.settings)],
      ["system-prompt-file", setup.systemPrompt],
      ["append-system-prompt-file", setup.appendSystemPrompt],
    ] as const
    const args: Array<string> = []
    for (const [option, content] of files) {
      if (content === undefined) continue
      const path = join(directory, option)
      yield* Effect.tryPromise({
        try: () => writeFile(path, content, { mode: 0o600, flag: "wx" }),
        catch: (cause) => ({ message: String(cause) }),
      })
      args.push(`--${option}=${path}`)
    }
    return { ...check(setup, {}), args }
  }).pipe(
    Effect.mapError((error) =>
      error instanceof AgentError
        ? error
        : startFailed(`The options of the thread could not be written to a private file. ${error.message}`),
    ),
  )

const serverless = invalidConfig("This Claude Code takes no `mcpServers` in memory. Update Claude Code.")

/** The requests before the first prompt, and the check of their answers. */
const check = (
  { defaults, isLenient, jsonSchema, mcpServers, parts, restrictions, settings, toolServer }: ClaudeCodeSetup,
  fields: object,
): Omit<Handshake, "args"> => {
  const { agent } = settings
  const model = parts.find(([option]) => option === "model")?.[1]
  // A model in an agent's file takes precedence over the variable.
  const switched = agent !== undefined && model !== undefined
  const wanted = recordOf(model ?? {}, "env")["ANTHROPIC_MODEL"]
  const given = Object.keys(parts.find(([option]) => option === "config")?.[1] ?? {})
  const probed = isLenient ? [] : given.filter((name) => !tolerant.includes(name))
  return {
    requests: [
      {
        ...{ subtype: "initialize", ...fields },
        ...(jsonSchema === undefined ? {} : { jsonSchema }),
        ...(toolServer === undefined ? {} : { sdkMcpServers: [toolServer] }),
      },
      { subtype: "get_settings" },
      ...(switched ? [{ subtype: "apply_flag_settings", settings: { model: wanted } }] : []),
      ...(probed.length === 0 ? [] : [{ subtype: "apply_flag_settings", settings: impossible(probed) }]),
    ],
    problem: ([initialized = {}, held = {}, ...rest]) => {
      for (const [what, { error }] of [
        ["its options", initialized],
        ["`model`", (switched ? rest[0] : undefined) ?? {}],
      ] as const) {
        if (typeof error === "string") return `Claude Code refused ${what}: ${clip(error, maxEchoLength)}`
      }
      const isHanded = Object.keys(mcpServers).length > 0
      if (isHanded && recordOf(initialized, "response")["mcp_servers_applied"] !== true) return serverless.message
      const names = recordsOf(recordOf(initialized, "response"), "agents").map((one) => textOf(one, "name"))
      if (typeof agent === "string" && names.length > 0 && !names.includes(agent)) {
        return `\`agent\` does not name one of Claude Code's agents; expected one of ${clip(names.join(", "), 300)}.`
      }
      const unknown = probed.length === 0 ? undefined : unknownIn(probed, textOf(rest.at(-1) ?? {}, "error") ?? "")
      if (unknown !== undefined) {
        return `Claude Code's settings.json has no \`${clip(unknown, maxEchoLength)}\`, so it has no effect in \`config\`, the option \`settings\`. Omit it, or set \`ignore-invalid-settings\`.`
      }
      // An older version answers with an error, and is not checked.
      if (held["error"] !== undefined) return undefined
      const response = recordOf(held, "response")
      const refused = unmet(parts, defaults, response)
      if (refused !== undefined || isLenient) return refused
      const { droppedOf, problemIn } = ClaudeCodeSettingsFiles
      return problemIn(response) ?? droppedOf(restrictions, response)
    },
    mayBeSandboxed: ([, held = {}]) => {
      const { effective } = recordOf(held, "response")
      return !isRecord(effective) || recordOf(effective, "sandbox")["enabled"] === true
    },
  }
}

/** Settings whose values Claude Code drops without an error, and those of its display. */
const tolerant: ReadonlyArray<string> = [
  ...["allowedMcpServers", "deniedMcpServers", "crossSessionInbound", "effortLevel", "extraKnownMarketplaces"],
  ...["forceLoginMethod", "hooks", "editorMode", "theme", "viewMode"],
]

/** Settings with a value that none accepts. Claude Code applies nothing, and names those that it knows. */
const impossible = (names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(["model", ...names].map((name) => [name, [[0]]]))

const unknownIn = (names: ReadonlyArray<string>, error: string): string | undefined => {
  const known = /: ([^:]+)$/.exec(error)?.[1]?.split(", ") ?? []
  return known.includes("model") ? names.find((name) => !known.includes(name)) : undefined
}

const unmet = (parts: ClaudeCodeSetup["parts"], { env, permissions }: JsonObject, held: JsonObject) => {
  const taken = recordsOf(held, "sources").find((one) => one["source"] === "flagSettings")?.["settings"] ?? {}
  const missing = parts.flatMap(([option, part]) => {
    const path = missingIn(taken, part)
    return path === undefined ? [] : [{ option, path, part }]
  })
  const [first] = missing
  if (first === undefined) {
    // A version that does not know one of the other defaults does not have what it turns off.
    const isWhole = missingIn(taken, { env, permissions }) === undefined
    return isWhole
      ? undefined
      : "Claude Code does not accept the settings that stop it from acting without an approval."
  }
  // One wrong value may make it drop all settings; then `errors` names it.
  for (const { option, part } of missing.toReversed()) {
    for (const error of recordsOf(held, "errors")) {
      const path = textOf(error, "path")?.split(".") ?? []
      if (path.length > 0 && at(part, path) !== undefined) {
        return `Claude Code does not accept \`${[option, ...path].join(".")}\`: ${clip(textOf(error, "message") ?? "", 300)}`
      }
    }
  }
  const name = first.option === "config" ? [first.option, ...first.path].join(".") : first.option
  return `Claude Code does not accept \`${clip(name, maxEchoLength)}\`. Check its name and its value, or omit it.`
}

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value)

/** Merges settings: arrays are joined, and `over` takes precedence. Values of a wrong type are left for Claude Code to refuse. */
const lay = (under: JsonObject, over: JsonObject): JsonObject => ({
  ...under,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const old = under[key]
      if (old === undefined) return [key, value]
      if (isRecord(value)) return [key, isRecord(old) ? lay(old, value) : old]
      if (Array.isArray(value)) return [key, Array.isArray(old) ? [...old, ...value] : old]
      return [key, value]
    }),
  ),
})

/** Path of the first value of `wanted` that is not in `taken`. Numbers may have become text there. */
const missingIn = (taken: unknown, wanted: unknown): ReadonlyArray<string> | undefined => {
  if (isRecord(wanted)) {
    if (!isRecord(taken)) return []
    for (const [key, value] of Object.entries(wanted)) {
      const path = missingIn(taken[key], value)
      if (path !== undefined) return [key, ...path]
    }
    return undefined
  }
  if (Array.isArray(wanted)) {
    const list: ReadonlyArray<unknown> = Array.isArray(taken) ? taken : []
    // Lists may be long, so an object is looked for at its own index first, and text in a set.
    const plain = new Set(list.filter((one) => !isObject(one)).map(String))
    const isIn = (value: unknown, at: number) =>
      isObject(value)
        ? missingIn(list[at], value) === undefined || list.some((one) => missingIn(one, value) === undefined)
        : plain.has(String(value))
    const lost = wanted.findIndex((value, at) => !isIn(value, at))
    return lost < 0 && Array.isArray(taken) ? undefined : lost < 0 ? [] : [String(lost)]
  }
  return String(taken) === String(wanted) ? undefined : []
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
