/**
 * The options of `zain doctor`.
 */
import type { Agent } from "@zain/agent-list/Agent"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Flags from "../Flags.ts"

export const options = (agents: ReadonlyArray<Agent>) => ({
  provider: Flags.provider(agents, "Checks this agent only; its absence is a problem"),
  server: Flags.texts(
    "server",
    "COMMAND-OR-URL",
    "Checks this MCP server: a command line, a URL, or sse+URL; repeatable",
  ),
  bearerTokenEnv: Flag.optional(
    Flags.text("bearer-token-env", "NAME", "The variable that holds the token for servers over HTTP"),
  ),
  timeout: Flag.withDefault(Flags.timeout("Limit of each step of a handshake; default: 10s"), Duration.seconds(10)),
  json: Flags.isGiven("json", "Prints one JSON object"),
})

/** The parsed options. `bearerTokenEnv`: the variable that holds the token for servers over HTTP */
export type Asked = Command.Command.Config.Infer<ReturnType<typeof options>>
