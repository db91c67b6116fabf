/**
 * The configuration of a Codex without tools.
 */
import type { ConnectionUnavailable } from "@zain/core/McpError"
import type { HostGuard } from "@zain/process/HostGuard"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as CodexInventory from "./CodexInventory.ts"

/** Keys of its `config.toml`. */
type Config = Readonly<Record<string, Schema.Json>>

const own: Config = {
  web_search: "disabled",
  features: {
    shell_tool: false,
    unified_exec: false,
    view_image: false,
    multi_agent: false,
    goals: false,
    apps: false,
    plugins: false,
  },
}

/**
 * The configuration, as things are now. No server and no skill can be left out, but each can be switched off
 * by its name, so Codex is asked for the names. Where it does not tell them there is no such configuration.
 */
export const config = (codex: CodexInventory.Codex): Effect.Effect<Config, ConnectionUnavailable, HostGuard> =>
  Effect.map(CodexInventory.read(codex), ({ servers, skills }) => ({
    ...own,
    mcp_servers: Object.fromEntries(servers.map((name) => [name, off])),
    skills: {
      include_instructions: false,
      bundled: off,
      config: skills.flatMap(({ name, path }) => [
        { name, ...off },
        { path, ...off },
      ]),
    },
  }))

const off = { enabled: false }
