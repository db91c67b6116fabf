/**
 * An agent as an MCP server.
 */
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as OwnTools from "./ClientTools.ts"
import type { Agent } from "./ServedAgent.ts"
import * as ThreadApprovals from "./ThreadApprovals.ts"
import * as ThreadRequests from "./ThreadRequests.ts"
import * as ThreadTools from "./ThreadTools.ts"
import * as ToolCall from "./ToolCall.ts"
import * as TurnActivity from "./TurnActivity.ts"
import * as TurnSteers from "./TurnSteers.ts"

/** Options of an agent's server. */
export interface Options {
  /** Version of this server, in the result of `initialize`. */
  readonly version: string
  /** How long a client may take to decide an approval; after that it is declined. Default: 5 minutes. */
  readonly approvalTimeout?: Duration.Input
  /** The longest silence of a turn toward a client with a `progressToken` or with `zain/events`. Default: 10 seconds. */
  readonly heartbeat?: Duration.Input
  /**
   * See `AgentCommand`. For as long after its last message, an agent that runs no tool is presumed to wait for its model, and
   * heartbeats are sent. 15 minutes if omitted or infinite.
   */
  readonly modelTimeout?: Duration.Duration
  /** How many calls of a client may run at once; one more is refused. Default: 64. */
  readonly maxCalls?: number
  /** Limit of the arguments of all running calls, in bytes. See `ToolServer.Options`. */
  readonly maxArgumentBytes?: number
  /**
   * Directories, absolute and without links, to which threads of clients without own roots are limited. Default: no limit.
   */
  readonly roots?: ReadonlyArray<string>
}

/**
 * Makes a server of an agent, for any number of clients at once. A client attaches to the agent with its first call. When it
 * disconnects, its turns are interrupted and it is detached; its next call attaches it again. Where clients have tokens, a
 * thread's id is valid only for the token that received it.
 *
 * @param agent the agent behind the tools
 * @param options the server's version and limits
 */
export const make = <StartOptions>(agent: Agent<StartOptions>, options: Options): ToolServer.ToolServer => {
  const tools = ThreadTools.make(agent)
  const limits: ToolCall.Limits = {
    approvalTimeout: Duration.fromInputUnsafe(options.approvalTimeout ?? "5 minutes"),
    heartbeat: Duration.fromInputUnsafe(options.heartbeat ?? "10 seconds"),
    modelSilence: TurnActivity.silenceOf(options.modelTimeout ?? Duration.infinity),
  }
  return ToolServer.make({
    name: `zain-${agent.name}-mcp`,
    title: agent.title,
    version: options.version,
    instructions: tools.instructions,
    tools: tools.list,
    experimental: {
      "zain/events": {},
      "zain/check": {},
      "zain/steer": {},
      "zain/threads": {},
      [OwnTools.extension]: {},
    },
    client: (principal, roots = options.roots ?? []) =>
      Effect.sync(() => {
        const attachment = ClientAttachment.make(agent.attach)
        const approved = ThreadApprovals.make()
        const steers = TurnSteers.make()
        return {
          steers,
          threads: (params: Readonly<Record<string, unknown>>, { client }: ToolServer.CallContext) =>
            ThreadRequests.answer(params, { attachment, client, principal, roots }),
          call: (params, context) =>
            ToolCall.make({ tools, check: agent.check, redact: agent.redact }, params, {
              approved,
              steers,
              limits,
              attachment,
              principal,
              roots,
              ...context,
            }),
          isBusy: attachment.isBusy,
          leave: attachment.leave,
        }
      }),
    extensions: { "zain/steer": ({ steers }) => steers.answer, "zain/threads": ({ threads }) => threads },
    ...(options.maxCalls === undefined ? {} : { maxCalls: options.maxCalls }),
    ...(options.maxArgumentBytes === undefined ? {} : { maxArgumentBytes: options.maxArgumentBytes }),
  })
}
