/**
 * Causes and fixes of failed handshakes.
 */

import { visible } from "@zain/core/TerminalText"
import type { ServerReport } from "@zain/sdk-client/McpServerProbe"
import * as ReportSecrets from "./ReportSecrets.ts"
import * as ShellWords from "./ShellWords.ts"

/** A client's configuration, in which servers are corrected. */
export interface Client {
  /** Returns how to pass a token to a server. */
  readonly credentials: (name: string) => string
  /** Returns how to declare SSE for a URL. */
  readonly overSse: (target: string) => string | undefined
}

/** `name`: the server's name in its file or on the command line. */
export interface Source {
  readonly name: string
  readonly client: Client
}

/** A server that the command line names. */
export const argument = (name: string): Source => ({
  name,
  client: {
    credentials: () => "Set a variable to the token, and pass --bearer-token-env NAME",
    overSse: (target) => ShellWords.command(["zain", "doctor", "--server", `sse+${ReportSecrets.ofUrl(target).shown}`]),
  },
})

/** The cause and fix of a failed handshake, beyond its error message. */
export const unreached = (
  report: ServerReport,
  { client, name }: Source,
): readonly [cause?: string | undefined, fix?: string | undefined] => {
  const { failure, foreign, protocolVersion, target } = report
  const error = failure?.error
  const isHttp = /^https?:/.test(target)
  const said = foreign === undefined ? "" : visible(foreign)
  if (isHttp && /\/sse\/?$/.test(target) && /\bHTTP 40[45]\b/.test(error?.message ?? "")) {
    return ["It rejects POST at this address, like servers over SSE, the older transport.", client.overSse(target)]
  }
  switch (error?.reason) {
    case "unauthorized":
      return ["The server rejected the credentials, or requires some.", client.credentials(name)]
    case "protocol-violation":
    case "not-an-mcp-server":
      if (error.reason === "protocol-violation" && protocolVersion !== undefined) {
        return [
          "It speaks MCP, but clients reject its answer to `initialize`.",
          'Answer with a protocolVersion that clients support, such as "2025-11-25", an object `capabilities`, and `serverInfo` with a name and a version.',
        ]
      }
      return isHttp
        ? [undefined, "If it is an older server over SSE (its URL ends in /sse), write sse+http://… or sse+https://…"]
        : [`Its standard output is not MCP${said === "" ? "." : `: ${said}`}`, "Start it by hand and read its output."]
    case "connect-timeout":
      return isHttp
        ? [
            "The connection is accepted, and no answer arrives.",
            ShellWords.command(["curl", "-i", ReportSecrets.ofUrl(target).shown]),
          ]
        : [
            "It started, and did not answer `initialize`; some servers wait for input, install themselves first, or " +
              `read \`Content-Length\` frames instead of lines.${said === "" ? "" : ` Its output is not MCP: ${said}`}`,
            "Start it by hand and check what it waits for, or raise --timeout.",
          ]
    case "spawn-failed":
      return /^zain-[a-z-]+-mcp$/.test(target) ? [undefined, "npm install --global @zain/cli"] : []
    case "server-exited":
      return [undefined, "Start it by hand with the same arguments and environment, and read its output."]
    default:
      return []
  }
}
