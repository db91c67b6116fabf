/**
 * Causes and fixes of findings about servers.
 */

import { clip } from "@zain/command/TextWidth"
import { visible } from "@zain/core/TerminalText"
import type { ServerReport } from "@zain/sdk-client/McpServerProbe"
import * as Predicate from "effect/Predicate"
import type { Finding } from "./Finding.ts"
import * as Secrets from "./Secrets.ts"
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
    overSse: (target) => ShellWords.command(["zain", "doctor", "--server", `sse+${Secrets.ofUrl(target).shown}`]),
  },
})

type Why = Pick<Finding, "cause" | "fix">

const why = (cause: string, fix: string | undefined): Why => ({ cause, ...(fix === undefined ? {} : { fix }) })
type Text = readonly [what: string, advice: Why]
type Capabilities = Readonly<Record<string, unknown>>

/** Tools that are served and not declared. */
export const undeclared = (many: string, capabilities: Capabilities): Text => [
  `It answers tools/list with ${many}, and declares none: clients show "Capabilities: none" and no tools.`,
  {
    cause:
      `\`initialize\` returns ${declared(capabilities)}. By MCP, clients request tools only if \`tools\` is declared; ` +
      'such clients never request them, and show "connected" and "Capabilities: none".',
    fix: "Declare what is served and nothing else: capabilities: { tools: { listChanged: true } }, or { tools: {} } if the list never changes.",
  },
]

const declared = (capabilities: Capabilities) =>
  Object.keys(capabilities).length === 0
    ? "capabilities: {}"
    : `capabilities: ${clip(JSON.stringify(capabilities), longest)}, without \`tools\``

const longest = 400

/** A list that is declared and not served. */
export const notServed = (name: "tools" | "resources" | "prompts", said: string): Text => [
  `It declares \`${name}\`, and ${name}/list ${said}: clients that request it show an error, or wait.`,
  {
    cause: `\`${name}\` in the capabilities, even as an empty object, means "supported, without further features", so clients request the list.`,
    fix:
      name === "tools"
        ? "Answer tools/list, or omit `tools` from the capabilities."
        : `Omit \`${name}\` from the capabilities, such as capabilities: { tools: { listChanged: true } }, or answer ${name}/list.`,
  },
]

/** A list that is declared and empty. */
export const servedEmpty = (name: "resources" | "prompts", capabilities: Capabilities): Text => [
  `It declares \`${name}\`, and has none. Some clients then show "Capabilities: none"; others show its other features.`,
  {
    cause:
      `${name}/list answers with an empty list. ` +
      (isEmpty(capabilities[name])
        ? `\`${name}: {}\` is legal MCP and means "supported, without further features", but the feature is absent.`
        : "Legal MCP, but useful only if entries are added later."),
    fix:
      `If the list is always empty, omit \`${name}\`, such as capabilities: { tools: { listChanged: true } }, ` +
      `and the handler of ${name}/list too: the SDK's assertRequestHandlerCapability rejects a handler without its capability.`,
  },
]

const isEmpty = (value: unknown) => Predicate.isReadonlyObject(value) && Object.keys(value).length === 0

/** A list that does not end, or fails after its first pages. */
export const incomplete = (many: string, method: string, how: string): Text => [
  `It has at least ${many}: ${method} ${how}.`,
  why(
    "Clients that read every page wait long, or show part of the list.",
    `Omit nextCursor from the last page of ${method}.`,
  ),
]

/** Tools that are declared, with an empty list. */
export const noTools = (): Text => [
  "It declares `tools`, and its list is empty.",
  {
    cause: "tools/list answers with an empty list.",
    fix: "Check its configuration: many servers offer tools only after a login, or once a project is configured.",
  },
]

/** A server that declares and serves nothing. */
export const nothing = (): Text => [
  'It declares nothing, and answers no tools/list: clients show "Capabilities: none".',
  {
    cause: "`initialize` returns capabilities: {}. By MCP, clients then request no lists.",
    fix: "If it should have tools, register them and declare capabilities: { tools: { listChanged: true } }.",
  },
]

const assertion = /Server does not support (\w+) \(required for ([\w/]+)\)/

/** A handler that the SDK's server rejects, which usually ends the server. */
export const refusedHandler = ({ diagnostics, failure }: ServerReport): Why | undefined => {
  const text = `${failure?.error.message} ${failure?.error.diagnostics?.stderrTail} ${diagnostics.stderrTail}`
  const [, capability, method] = assertion.exec(text) ?? []
  if (capability === undefined) return undefined
  return {
    cause: `It sets a handler for ${method} and does not declare \`${capability}\`: the SDK's assertRequestHandlerCapability throws when the server starts.`,
    fix: `Remove the handler for ${method}, or declare capabilities: { ${capability}: {} } and serve it.`,
  }
}

/** A server with `Content-Length` frames. */
export const framed: Why = {
  cause:
    "It writes each message after a `Content-Length` header, as in the Language Server Protocol. MCP over stdio has one " +
    "JSON message a line, so clients read no message, time out, and show no capabilities and no tools.",
  fix:
    "Write each message as one line, JSON.stringify(message) and a line feed, or use the stdio transport of an MCP SDK, " +
    "such as StdioServerTransport, instead of a library for language servers.",
}

/** The cause and fix of a failed handshake, beyond its error message. */
export const unreached = (report: ServerReport, { client, name }: Source): Why => {
  const { failure, protocolVersion, target } = report
  const error = failure?.error
  const isHttp = /^https?:/.test(target)
  if (isHttp && /\/sse\/?$/.test(target) && /\bHTTP 40[45]\b/.test(error?.message ?? "")) {
    const cause = "It rejects POST at this address, like servers over SSE, the older transport."
    return why(cause, client.overSse(target))
  }
  switch (error?.reason) {
    case "unauthorized":
      return why("The server rejected the credentials, or requires some.", client.credentials(name))
    case "protocol-violation":
      if (protocolVersion !== undefined) {
        return {
          cause: "It speaks MCP, but clients reject its answer to `initialize`.",
          fix: 'Answer with a protocolVersion that clients support, such as "2025-11-25", an object `capabilities`, and `serverInfo` with a name and a version.',
        }
      }
      return strange(isHttp, report)
    case "not-an-mcp-server":
      return strange(isHttp, report)
    case "connect-timeout": {
      const curl = ShellWords.command(["curl", "-i", Secrets.ofUrl(target).shown])
      if (isHttp) return why("The connection is accepted, and no answer arrives.", curl)
      return {
        cause:
          "It started, and did not answer `initialize`; some servers wait for input, install themselves first, or " +
          "read `Content-Length` frames instead of lines." +
          (report.foreign === undefined ? "" : ` Its output is not MCP: ${visible(report.foreign)}`),
        fix: "Start it by hand and check what it waits for, or raise --timeout.",
      }
    }
    case "spawn-failed":
      return /^zain-[a-z-]+-mcp$/.test(target) ? { fix: "npm install --global @zain/cli" } : {}
    case "server-exited":
      return { fix: "Start it by hand with the same arguments and environment, and read its output." }
    default:
      return {}
  }
}

const strange = (isHttp: boolean, { foreign }: ServerReport): Why =>
  isHttp
    ? { fix: "If it is an older server over SSE (its URL ends in /sse), write sse+http://… or sse+https://…" }
    : {
        cause: `Its standard output is not MCP${foreign === undefined ? "." : `: ${visible(foreign)}`}`,
        fix: "Start it by hand and read its output.",
      }

/** Text on standard output that is not MCP. */
export const banner = (foreign: string): Text => [
  `It writes to standard output what is not MCP: ${visible(foreign)}`,
  {
    cause: "Over stdio, standard output is for messages alone. Zain skips such lines; other clients may fail.",
    fix: "Write banners and logs to standard error.",
  },
]
