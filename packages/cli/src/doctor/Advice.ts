/**
 * Why a server is not what it should be, and what to do.
 */
import type { ServerReport } from "@zain/sdk-client/McpServerProbe"
import type { Finding } from "./Finding.ts"

type Why = Pick<Finding, "cause" | "fix">
type Told = readonly [what: string, advice: Why]
type Capabilities = Readonly<Record<string, unknown>>

/** Tools that are there and not declared. */
export const undeclared = (count: number, capabilities: Capabilities): Told => [
  `It answers tools/list with ${count === 1 ? "a tool" : `${count} tools`}, and declares none: clients show "Capabilities: none" and offer no tool of it.`,
  {
    cause:
      `\`initialize\` says ${declared(capabilities)}. MCP has a client ask for tools only where \`tools\` is declared; ` +
      'Claude Code 2.1 never asks such a server, and shows "connected" and "Capabilities: none".',
    fix: "Declare what is served and nothing else, capabilities: { tools: { listChanged: true } }, or { tools: {} } if the list never changes.",
  },
]

const declared = (capabilities: Capabilities) =>
  Object.keys(capabilities).length === 0
    ? "capabilities: {}, which is: nothing"
    : `capabilities: ${JSON.stringify(capabilities)}, without \`tools\``

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
  `It declares \`${name}\`, and has none. Some clients have shown "Capabilities: none" for that; Claude Code 2.1 shows what else there is.`,
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

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0

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

/** A server that cannot be talked to: what its error does not say itself. */
export const unreached = ({ failure, target }: ServerReport): Why => {
  const error = failure?.error
  const isHttp = /^https?:/.test(target)
  switch (error?.reason) {
    case "unauthorized":
      return {
        cause: "The server wants credentials, and these are none or not the right ones.",
        fix: "Put the token into a variable and name it: --bearer-token-env NAME, or `headers` in the file that lists the server.",
      }
    case "not-an-mcp-server":
    case "protocol-violation":
      return isHttp
        ? { fix: "If it is an older server over SSE, its URL ends in /sse: write sse+http://… or sse+https://…" }
        : { cause: "What it writes to standard output is no MCP.", fix: "Start it by hand and read what it prints." }
    case "connect-timeout":
      return {
        cause: isHttp
          ? "Something takes the connection and does not answer."
          : "It started, and did not answer `initialize`; some servers wait for something else, or install themselves first.",
        fix: isHttp
          ? `curl -i ${target}`
          : "Start it by hand and see what it waits for, or give it more time with --timeout.",
      }
    case "spawn-failed":
      return /^zain-[a-z-]+-mcp$/.test(target) ? { fix: "npm install @zain/agent-server" } : {}
    case "server-exited":
      return { fix: "Start it by hand with the same arguments and environment, and read what it says." }
    default:
      return {}
  }
}
