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
  agents: { enabled: false },
  features: {
    shell_tool: false,
    unified_exec: false,
    view_image: false,
    goals: false,
    apps: false,
    plugins: false,
  },
}

/**
 * The configuration for the servers and skills that there are now: each can only be switched off by its name. Fails when
 * Codex does not list them.
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
