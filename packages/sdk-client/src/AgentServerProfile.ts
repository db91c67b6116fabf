/**
 * The dialect of our agent servers, the same for every agent behind it: MCP as it is written, and three names of our
 * own for what MCP has no word for.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AgentProfile, AgentSession, ApprovalDialect, ServerInfo } from "./AgentProfile.ts"
import * as AgentServerEvent from "./AgentServerEvent.ts"
import * as Failure from "./Failure.ts"
import { nameOf, type WireTarget } from "./McpWire.ts"
import * as ThreadAnswer from "./ThreadAnswer.ts"

/** `threadId`: goes on with a conversation of an earlier session, `threadId` of its responses; the rest starts one. */
export interface Resumable {
  readonly threadId?: string
}

/**
 * What is different about an agent behind the server.
 *
 * - `provider`, `vendor`, `options`, `environment`, `causeOf`: as in `AgentProfile`
 * - `server`: what the server calls itself
 * - `tool`: starts a thread; `<tool>-reply` goes on with it
 * - `toArguments`: the options, by the names that the tool has for them
 * - `native`: the agent's own MCP server, which speaks another dialect: what it calls itself, and the last words of the
 *   command line that starts it
 */
export interface AgentBehindServer<Options extends Resumable>
  extends Pick<AgentProfile<Options>, "causeOf" | "environment" | "options" | "provider" | "vendor"> {
  readonly server: string
  readonly tool: string
  readonly toArguments: (options: Omit<Options, "threadId">) => Readonly<Record<string, unknown>>
  readonly native: { readonly server: string; readonly args: ReadonlyArray<string> }
}

/**
 * The profile of an agent behind the server. Its sessions can do whatever the port can. A session does not open,
 * `InvalidRequest` with reason `invalid-config`, on the agent's own server, on one with another agent, or where the server
 * is a process of this machine and the argument `cwd` names no directory.
 *
 * @param agent what is different about it
 *
 * @example
 * ```ts
 * import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
 * import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
 * import * as Schema from "effect/Schema"
 *
 * const profile = AgentServerProfile.make({
 *   provider: "my-agent",
 *   options: Schema.Struct({
 *     model: Schema.optionalKey(Schema.String),
 *     threadId: Schema.optionalKey(Schema.String),
 *   }),
 *   environment: ["MY_AGENT_*"],
 *   server: "zain-my-agent-mcp",
 *   tool: "my-agent",
 *   toArguments: (options) => options,
 *   native: { server: "my-agent/own", args: ["mcp", "serve"] },
 * })
 *
 * export const make = SdkMcpClient.make(profile)
 * ```
 *
 * @see design, §6
 */
export const make = <Options extends Resumable>(agent: AgentBehindServer<Options>): AgentProfile<Options> => ({
  provider: agent.provider,
  vendor: agent.vendor,
  causeOf: agent.causeOf,
  supports: { streaming: true, approvals: true, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: agent.options,
  environment: agent.environment,
  open: (target, { threadId, ...options }) =>
    Effect.suspend(() => {
      if (isNative(target, agent.native.args))
        return Effect.fail(Failure.otherProfile(`${target.command} ${agent.native.args.join(" ")}`, "native"))
      const first = agent.toArguments(options)
      const missing = threadId === undefined ? missingDirectory(target, agent.server, first["cwd"]) : undefined
      return missing === undefined
        ? Effect.succeed(session(target, agent.tool, threadId, first))
        : Effect.fail(Failure.noDirectory(missing))
    }),
  approvals,
  experimental: { "zain/events": {} },
  accepts: ({ name }) => {
    if (name === agent.native.server) return Failure.otherProfile(name, "native")
    return isAgentServer(name) && name !== agent.server ? Failure.otherAgent(name, agent.server) : undefined
  },
  event: AgentServerEvent.read,
})

/** Why an agent's own dialect is not for this server, if it is an agent server. */
export const refuse = ({ name }: ServerInfo): McpError | undefined =>
  isAgentServer(name) ? Failure.otherProfile(name, "agent-server") : undefined

const isAgentServer = (name: string): boolean => /^zain-[a-z-]+-mcp$/.test(name)

const isNative = (
  target: WireTarget,
  args: ReadonlyArray<string>,
): target is WireTarget & { readonly command: string } =>
  target.transport === "stdio" && args.every((arg, at) => target.args.at(at - args.length) === arg)

/** The directory to work in, if its server runs beside us and it is not there. What is elsewhere the server knows itself. */
const missingDirectory = (target: WireTarget, server: string, cwd: unknown): string | undefined => {
  if (target.transport !== "stdio" || nameOf(target) !== server || typeof cwd !== "string") return undefined
  const path = resolve(target.cwd ?? "", cwd)
  return existsSync(path) ? undefined : path
}

const session = (
  target: WireTarget,
  tool: string,
  resumed: string | undefined,
  first: Readonly<Record<string, unknown>>,
): AgentSession => {
  /** The thread that a first turn has begun, told before its answer. */
  let begun: string | undefined
  const { model } = first
  const goOn = (beside: Readonly<Record<string, unknown>>, threadId: string) => ({
    name: `${tool}-reply`,
    arguments: { ...beside, threadId },
  })
  return {
    target,
    ...(typeof model === "string" ? { model } : {}),
    // A thread that cannot be gone on with is no session.
    ...(resumed === undefined ? {} : { prepare: { ...goOn(first, resumed), meta: { "zain/open": true } } }),
    call: (prompt, threadId = resumed) => {
      // What is given beside a thread of an earlier session counts from now on, or is refused.
      if (threadId !== undefined) return goOn({ ...(resumed === undefined ? {} : first), prompt }, threadId)
      begun = undefined
      return { name: tool, arguments: { ...first, prompt } }
    },
    read,
    heard: (notification) => {
      const threadId = AgentServerEvent.threadOf(notification)
      begun ??= threadId
      return threadId
    },
    interrupted: (threadId) => threadId ?? resumed ?? begun,
    startsAnew: true,
  }
}

const read = ThreadAnswer.reader("The agent server", (meta) =>
  isRecord(meta) ? AgentServerEvent.usageOf(meta["zain/usage"]) : undefined,
)

const decodeRequest = Schema.decodeUnknownOption(McpApprovalRequest)

/** Standard elicitation: any client can answer it, and ours knows more of the question. */
const approvals: ApprovalDialect = {
  read: (method, params) => {
    if (method !== "elicitation/create" || !isRecord(params) || !isRecord(params["_meta"])) return undefined
    return Option.getOrUndefined(decodeRequest(params["_meta"]["zain/approval"]))
  },
  write: (decision) =>
    decision._tag === "Approve"
      ? { action: "accept", content: {} }
      : { action: "decline", content: { reason: decision.reason } },
}
