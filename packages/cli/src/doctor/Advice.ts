/**
 * Why a server is not what it should be, and what to do.
 */

import { visible } from "@zain/core/TerminalText"
import type { ServerReport } from "@zain/sdk-client/McpServerProbe"
import { clip } from "@zain/tool-server/TextWidth"
import * as Predicate from "effect/Predicate"
import type { Finding } from "./Finding.ts"
import * as Secrets from "./Secrets.ts"
import * as ShellWords from "./ShellWords.ts"

/** Where a client names its servers, and so where they are mended. */
export interface Client {
  /** How a server is given a token. */
  readonly credentials: (name: string) => string
  /** How a server at a URL is said to speak the older transport. */
  readonly overSse: (target: string) => string | undefined
}

/** `name`: what its file, or the command line, calls the server. */
export interface Source {
  readonly name: string
  readonly client: Client
}

/** A server that the command line names. */
export const argument = (name: string): Source => ({
  name,
  client: {
    credentials: () => "Put the token into a variable and name it: --bearer-token-env NAME",
    overSse: (target) => ShellWords.command(["zain", "doctor", "--server", `sse+${Secrets.ofUrl(target).shown}`]),
  },
})

type Why = Pick<Finding, "cause" | "fix">

const why = (cause: string, fix: string | undefined): Why => ({ cause, ...(fix === undefined ? {} : { fix }) })
type Told = readonly [what: string, advice: Why]
type Capabilities = Readonly<Record<string, unknown>>

/** Tools that are there and not declared. */
export const undeclared = (many: string, capabilities: Capabilities): Told => [
  `It answers tools/list with ${many}, and declares none: clients show "Capabilities: none" and offer no tool of it.`,
  {
    cause:
      `\`initialize\` says ${declared(capabilities)}. MCP has a client ask for tools only where \`tools\` is declared; ` +
      'clients that hold to it never ask such a server, and show "connected" and "Capabilities: none".',
    fix: "Declare what is served and nothing else, capabilities: { tools: { listChanged: true } }, or { tools: {} } if the list never changes.",
  },
]

const declared = (capabilities: Capabilities) =>
  Object.keys(capabilities).length === 0
    ? "capabilities: {}, which is: nothing"
    : `capabilities: ${clip(JSON.stringify(capabilities), longest)}, without \`tools\``

const longest = 400

/** Something that is declared and cannot be had. */
export const notServed = (name: "tools" | "resources" | "prompts", said: string): Told => [
  `It declares \`${name}\`, and ${name}/list ${said}: clients that ask for them show an error, or wait.`,
  {
    cause: `\`${name}\` in the capabilities, even as an empty object, says "supported, without further features", so clients ask for the list.`,
    fix:
      name === "tools"
        ? "Answer tools/list, or leave `tools` out of the capabilities."
        : `Leave \`${name}\` out of the capabilities, such as capabilities: { tools: { listChanged: true } }, or answer ${name}/list.`,
  },
]

/** Something that is declared, answered, and empty. */
export const servedEmpty = (name: "resources" | "prompts", capabilities: Capabilities): Told => [
  `It declares \`${name}\`, and has none. Some clients have shown "Capabilities: none" for that; others show what else there is.`,
  {
    cause:
      `${name}/list answers with an empty list. ` +
      (isEmpty(capabilities[name])
        ? `\`${name}: {}\` is legal MCP, it says "supported, without further features"; but it promises what is not there.`
        : "Legal MCP, if some come later; a promise of nothing otherwise."),
    fix:
      `If there never are any, leave \`${name}\` out, such as capabilities: { tools: { listChanged: true } }, ` +
      `and the handler of ${name}/list too: the SDK's assertRequestHandlerCapability refuses a handler without its capability.`,
  },
]

const isEmpty = (value: unknown) => Predicate.isReadonlyObject(value) && Object.keys(value).length === 0

/** A list that has no end in sight, or breaks off. */
export const incomplete = (many: string, method: string, how: string): Told => [
  `It has at least ${many}: ${method} ${how}.`,
  why("Clients that read every page wait long, or show a part.", `Leave nextCursor out of the last page of ${method}.`),
]

/** Tools that are declared, and an empty list. */
export const noTools = (): Told => [
  "It declares `tools`, and has none at the moment.",
  {
    cause: "tools/list answers with an empty list.",
    fix: "Check its configuration: many servers offer tools only once they are logged in or told what to work on.",
  },
]

/** A server that offers nothing at all. */
export const nothing = (): Told => [
  'It declares nothing, and answers no tools/list: clients show "Capabilities: none".',
  {
    cause: "`initialize` says capabilities: {}, which is: nothing. MCP has clients ask for nothing then.",
    fix: "If it should have tools, register them and declare capabilities: { tools: { listChanged: true } }.",
  },
]

const assertion = /Server does not support (\w+) \(required for ([\w/]+)\)/

/** A handler that the SDK's server refuses, which most servers do not survive. */
export const refusedHandler = ({ diagnostics, failure }: ServerReport): Why | undefined => {
  const text = `${failure?.error.message} ${failure?.error.diagnostics?.stderrTail} ${diagnostics.stderrTail}`
  const [, capability, method] = assertion.exec(text) ?? []
  if (capability === undefined) return undefined
  return {
    cause: `It sets a handler for ${method} and does not declare \`${capability}\`: the SDK's assertRequestHandlerCapability throws when the server starts.`,
    fix: `Take the handler for ${method} out, or declare capabilities: { ${capability}: {} } and serve it.`,
  }
}

/** A server that frames its messages as language servers do. */
export const framed: Why = {
  cause:
    "It writes each message behind a `Content-Length` header, as the Language Server Protocol has it. MCP over stdio is one " +
    "JSON message a line, so clients read no message: they wait until their time is over, and show no capabilities and no tools.",
  fix:
    "Write each message as one line, JSON.stringify(message) and a line feed, or use the stdio transport of an MCP SDK, " +
    "such as StdioServerTransport, in the place of a library for language servers.",
}

/** A server that cannot be talked to: what its error does not say itself. */
export const unreached = (report: ServerReport, { client, name }: Source): Why => {
  const { failure, protocolVersion, target } = report
  const error = failure?.error
  const isHttp = /^https?:/.test(target)
  if (isHttp && /\/sse\/?$/.test(target) && /\bHTTP 40[45]\b/.test(error?.message ?? "")) {
    const cause = "It takes no POST at this address, as servers over SSE, the older transport, do."
    return why(cause, client.overSse(target))
  }
  switch (error?.reason) {
    case "unauthorized":
      return why("The server wants credentials, and these are none or not the right ones.", client.credentials(name))
    case "protocol-violation":
      if (protocolVersion !== undefined) {
        return {
          cause: "It speaks MCP, and its answer to `initialize` is one that clients do not take.",
          fix: 'Answer with a protocolVersion that clients know, such as "2025-11-25", an object `capabilities`, and `serverInfo` with a name and a version.',
        }
      }
      return strange(isHttp, report)
    case "not-an-mcp-server":
      return strange(isHttp, report)
    case "connect-timeout": {
      const curl = ShellWords.command(["curl", "-i", Secrets.ofUrl(target).shown])
      if (isHttp) return why("Something takes the connection and does not answer.", curl)
      return {
        cause:
          "It started, and did not answer `initialize`; some servers wait for something else, install themselves first, or " +
          "read `Content-Length` frames in the place of lines." +
          (report.foreign === undefined ? "" : ` What it wrote is no MCP: ${visible(report.foreign)}`),
        fix: "Start it by hand and see what it waits for, or give it more time with --timeout.",
      }
    }
    case "spawn-failed":
      return /^zain-[a-z-]+-mcp$/.test(target) ? { fix: "npm install --global @zain/cli" } : {}
    case "server-exited":
      return { fix: "Start it by hand with the same arguments and environment, and read what it says." }
    default:
      return {}
  }
}

const strange = (isHttp: boolean, { foreign }: ServerReport): Why =>
  isHttp
    ? { fix: "If it is an older server over SSE, its URL ends in /sse: write sse+http://… or sse+https://…" }
    : {
        cause: `What it writes to standard output is no MCP${foreign === undefined ? "." : `: ${visible(foreign)}`}`,
        fix: "Start it by hand and read what it prints.",
      }

/** Something among the messages that is none. */
export const banner = (foreign: string): Told => [
  `It writes to standard output what is no MCP: ${visible(foreign)}`,
  {
    cause: "Over stdio, standard output is for messages alone. Zain passes such lines over, and other clients may not.",
    fix: "Write banners and logs to standard error.",
  },
]
