/**
 * The profile of Zain's agent servers, the same for every agent behind them: standard MCP, and extensions
 * under names that begin with `zain/`.
 */
import { resolve } from "node:path"
import { McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"
import * as ProgramPath from "@zain/process/ProgramPath"
import * as WorkingDirectory from "@zain/process/WorkingDirectory"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AgentProfile, AgentSession, ApprovalDialect, ServerInfo } from "./AgentProfile.ts"
import * as AgentServerEvent from "./AgentServerEvent.ts"
import * as Failure from "./Failure.ts"
import { nameOf, type WireTarget } from "./McpWire.ts"
import * as ThreadAnswer from "./ThreadAnswer.ts"

/** The option of an agent whose conversations can be continued in a new session. */
export interface Resumable {
  /** The `threadId` of an earlier session's responses: the session continues that conversation. If omitted, it starts one. */
  readonly threadId?: string
}

/**
 * Defines one agent behind an agent server. The members without a text of their own mean the same as in `AgentProfile`.
 */
export interface AgentBehindServer<Options extends Resumable>
  extends Pick<AgentProfile<Options>, "causeOf" | "environment" | "options" | "provider" | "vendor"> {
  /** The name that the server sends in the handshake, such as `zain-codex-mcp`. */
  readonly server: string
  /** The tool that starts a thread; `<tool>-reply` continues it. */
  readonly tool: string
  /**
   * Translates the options of a session into arguments of the tool, as its schema names them.
   *
   * @param options the decoded options of the provider, without `threadId`
   */
  readonly toArguments: (options: Omit<Options, "threadId">) => Readonly<Record<string, unknown>>
  /** The schema of those options that may be given for one turn. If omitted, the agent takes none. */
  readonly turnOptions?: Schema.Codec<Partial<Omit<Options, "threadId">>, unknown>
  /**
   * Whether the server has the extensions `zain/steer`, `zain/threads` and `zain/tools`: `steer`, `threads` and tools of the
   * session's own. Default: `false`.
   */
  readonly extensions?: boolean
  /**
   * Returns the secrets in the options, which are redacted in errors and in answers that report a failure. If omitted, none.
   *
   * @param options the decoded options of the provider, without `threadId`
   */
  readonly secretsOf?: (options: Omit<Options, "threadId">) => ReadonlyArray<string>
  /** Whether the agent reports what a turn cost. Default: `false`. */
  readonly reportsCost?: boolean
  /** How to recognise the agent's own MCP server, which this profile does not support. */
  readonly native: {
    /** The name that the agent's own server sends in the handshake. */
    readonly server: string
    /** The last arguments of the command that starts it. */
    readonly args: ReadonlyArray<string>
  }
}

/**
 * Returns the profile of an agent behind an agent server, such as Codex behind `zain-codex-mcp`. Its `supports` is all
 * true, but for `cost` by `reportsCost`, and `steer`, `threads` and `tools` by `extensions`: streaming, approvals, questions,
 * structured answers, images, options of one turn where it has them, and a conversation that continues after a cancelled or
 * failed turn. `openSession` fails
 * with `InvalidRequest`, reason `invalid-config`, if the server is the agent's own (`native`) or that of another agent,
 * and, for a new conversation with a local server, if `toArguments` returns a `cwd` that is not an existing directory.
 *
 * @param agent the agent's names, options and environment
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
 * @see docs/guides/write-an-adapter.md
 */
export const make = <Options extends Resumable>(agent: AgentBehindServer<Options>): AgentProfile<Options> => ({
  provider: agent.provider,
  vendor: agent.vendor,
  causeOf: agent.causeOf,
  supports: {
    streaming: true,
    approvals: true,
    questions: true,
    cancelKeepsConversation: true,
    failureKeepsConversation: true,
    background: true,
    structured: true,
    images: true,
    turnOptions: agent.turnOptions !== undefined,
    steer: agent.extensions === true,
    tools: agent.extensions === true,
    threads: agent.extensions === true,
    context: true,
    cost: agent.reportsCost === true,
    stopReason: true,
    rateLimits: true,
  },
  options: agent.options,
  ...(agent.turnOptions === undefined ? {} : { turnOptions: agent.turnOptions }),
  environment: agent.environment,
  shares: true,
  open: (target, { threadId, ...options }) =>
    Effect.suspend(() => {
      if (isNative(target, agent.native.args))
        return Effect.fail(Failure.otherProfile(`${target.command} ${agent.native.args.join(" ")}`, "native"))
      if (isMissing(target, agent.server)) return Effect.fail(Failure.serverNotFound(agent.server))
      const first = agent.toArguments(options)
      const error = threadId === undefined ? noDirectory(target, agent.server, first["cwd"]) : undefined
      if (error !== undefined) return Effect.fail(error)
      const ofTurn = (chosen: object) => agent.toArguments(chosen as typeof options)
      const secrets = agent.secretsOf?.(options) ?? []
      return Effect.succeed({ ...session(target, agent.tool, threadId, first, ofTurn), secrets })
    }),
  approvals,
  experimental: { "zain/events": {}, "zain/steer": {}, "zain/threads": {} },
  accepts: ({ name }) => {
    if (name === agent.native.server) return Failure.otherProfile(name, "native")
    return isAgentServer(name) && name !== agent.server ? Failure.otherAgent(name, agent.server) : undefined
  },
  event: AgentServerEvent.read,
})

/**
 * For a profile that supports the agent's own MCP server only: returns an `InvalidRequest`, reason `invalid-config`, if
 * the connected server is an agent server, such as `zain-codex-mcp`, and `undefined` for any other server.
 *
 * @param server the server, as it introduced itself in the handshake; only its name is read
 */
export const refuse = ({ name }: ServerInfo): McpError | undefined =>
  isAgentServer(name) ? Failure.otherProfile(name, "agent-server") : undefined

const isAgentServer = (name: string): boolean => /^zain-[a-z-]+-mcp$/.test(name)

const isNative = (
  target: WireTarget,
  args: ReadonlyArray<string>,
): target is WireTarget & { readonly command: string } =>
  target.transport === "stdio" && args.every((arg, at) => target.args.at(at - args.length) === arg)

/** Whether a server's program was found neither by `local()` nor on PATH. */
const isMissing = (target: WireTarget, server: string): boolean =>
  target.transport === "stdio" && target.command === server && ProgramPath.find(server, target.env) === undefined

/** The error of a `cwd` that is no directory, if the server is a local process. A remote server checks its own. */
const noDirectory = (target: WireTarget, server: string, cwd: unknown): McpError | undefined => {
  if (target.transport !== "stdio" || nameOf(target) !== server || typeof cwd !== "string") return undefined
  const path = resolve(target.cwd ?? "", cwd)
  const problem = WorkingDirectory.problem(path, "`cwd` of the options")
  return problem === undefined ? undefined : Failure.noDirectory(path, problem)
}

const session = (
  target: WireTarget,
  tool: string,
  resumed: string | undefined,
  first: Readonly<Record<string, unknown>>,
  ofTurn: (options: object) => object,
): AgentSession => {
  /** The thread that a first turn started, known before its answer. */
  let begun: string | undefined
  const { model } = first
  const goOn = (beside: Readonly<Record<string, unknown>>, threadId: string) => ({
    name: `${tool}-reply`,
    arguments: { ...beside, threadId },
  })
  return {
    target,
    ...(typeof model === "string" ? { model } : {}),
    // What cannot start or resume fails when the session opens, not at the first prompt.
    prepare: {
      ...(resumed === undefined ? { name: tool, arguments: first, requires: "zain/check" } : goOn(first, resumed)),
      meta: { "zain/open": true },
    },
    call: (prompt, threadId = resumed, { images, output, providerOptions }) => {
      const asked = {
        prompt,
        ...(images === undefined ? {} : { images }),
        ...(output === undefined ? {} : { outputSchema: output }),
        ...(providerOptions === undefined ? {} : { turn: ofTurn(providerOptions) }),
      }
      // Options given with a resumed thread apply from now on; the server rejects those that cannot change.
      if (threadId !== undefined) return goOn({ ...(resumed === undefined ? {} : first), ...asked }, threadId)
      begun = undefined
      return { name: tool, arguments: { ...first, ...asked } }
    },
    read,
    heard: (notification) => {
      const threadId = AgentServerEvent.threadOf(notification)
      begun ??= threadId
      return threadId
    },
    answered: AgentServerEvent.answered,
    interrupted: (threadId) => threadId ?? resumed ?? begun,
    startsAnew: true,
  }
}

const readAnswer = ThreadAnswer.reader("The agent server", (meta) =>
  isRecord(meta) ? AgentServerEvent.usageOf(meta["zain/usage"]) : undefined,
)
const read: AgentSession["read"] = (result) =>
  Effect.map(readAnswer(result), (answer) => {
    if (!isRecord(result._meta)) return answer
    const ended = AgentServerEvent.worksOf(result._meta["zain/ended"])
    const pending = AgentServerEvent.worksOf(result._meta["zain/pending"])
    const cause = answer.isError ? AgentServerEvent.causeOf(result._meta) : undefined
    return {
      ...answer,
      ...AgentServerEvent.endOf(result._meta),
      ...(cause === undefined ? {} : { cause }),
      ...(ended === undefined ? {} : { ended }),
      ...(pending === undefined ? {} : { pending }),
    }
  })

const decodeRequest = Schema.decodeUnknownOption(McpApprovalRequest)

/** Standard elicitation, which any client can answer; `_meta` has the complete approval request. */
const approvals: ApprovalDialect = {
  read: (method, params) => {
    if (method !== "elicitation/create" || !isRecord(params) || !isRecord(params["_meta"])) return undefined
    return Option.getOrUndefined(decodeRequest(params["_meta"]["zain/approval"]))
  },
  write: (decision) => {
    if (decision._tag === "Decline") return { action: "decline", content: { reason: decision.reason } }
    return { action: "accept", content: decision._tag === "Answer" ? decision.answers : {} }
  },
}
