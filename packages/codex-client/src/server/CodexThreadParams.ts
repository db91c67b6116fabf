/**
 * Options of a thread as parameters of Codex.
 */
import { isDeepStrictEqual } from "node:util"
import * as HandedServers from "@zain/agent-server/HandedServers"
import * as McpServerOption from "@zain/process/McpServerOption"
import type { CodexStartOptions } from "../CodexOptions.ts"

export type Config = NonNullable<CodexStartOptions["config"]>

/** The table of `config` about the sandbox `workspace-write`, and its key with additional directories. */
export const table = "sandbox_workspace_write."
export const roots = `${table}writable_roots`

/** The narrowest sandbox of that kind, as keys of `config`. */
export const limits: Config = {
  [`${table}network_access`]: false,
  [`${table}exclude_tmpdir_env_var`]: true,
  [`${table}exclude_slash_tmp`]: true,
  [roots]: [],
}

/** Whether `config` only makes the sandbox narrower. */
const isLimit = (config: Config): boolean =>
  roots in config && Object.entries(config).every(([key, value]) => isDeepStrictEqual(limits[key], value))

/** The options that lead out of a root. `config` can name sandboxes, directories and programs. */
export const leadsOut = (options: CodexStartOptions): ReadonlyArray<string> => [
  ...(options.config === undefined || isLimit(options.config) ? [] : ["`config`"]),
  ...(options.trustProject === true ? ["`trust-project`"] : []),
  ...(HandedServers.given(options.mcpServers).length === 0 ? [] : ["`mcp-servers`"]),
  ...(options.sandbox === "danger-full-access" ? ['`sandbox: "danger-full-access"`'] : []),
]

/**
 * Parameters of `thread/start`, and of `thread/resume`, because Codex does not store all of them with the thread: neither the
 * sandbox, nor the keys of `config` other than the model.
 */
export const threadParams = ({
  background: _work,
  backgroundGrace: _grace,
  compactPrompt,
  config: given,
  directories: _directories,
  effort,
  mcpServers,
  trustProject: _trust,
  ...options
}: CodexStartOptions) => {
  const config = {
    ...given,
    ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }),
    ...(effort === undefined ? {} : { model_reasoning_effort: effort }),
    ...serversOf(mcpServers),
  }
  return { ...options, ...(Object.keys(config).length === 0 ? {} : { config }) }
}

/** Servers as keys of `config`. Each use of a tool is an approval, also of one that only reads. */
const serversOf = (servers: CodexStartOptions["mcpServers"]): Config =>
  Object.fromEntries(
    HandedServers.given(servers).map(([name, server]) => [
      `mcp_servers.${name}`,
      {
        ...(server.type === "stdio"
          ? { command: server.command, args: server.args ?? [], env: McpServerOption.plain(server.env) }
          : { url: server.url, http_headers: McpServerOption.plain(server.headers) }),
        ...(server.required === undefined ? {} : { required: server.required }),
        ...(server.tools === undefined ? {} : { enabled_tools: server.tools }),
        default_tools_approval_mode: "prompt",
      },
    ]),
  )
