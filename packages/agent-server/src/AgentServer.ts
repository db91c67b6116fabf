/**
 * An agent as an MCP server.
 */
import * as ClientAttachment from "@zain/tool-server/ClientAttachment"
import * as ToolServer from "@zain/tool-server/ToolServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Agent } from "./Agent.ts"
import * as ThreadApprovals from "./ThreadApprovals.ts"
import * as ToolCall from "./ToolCall.ts"
import * as Tools from "./Tools.ts"

/**
 * - `version`: what `initialize` tells about this server
 * - `approvalTimeout`: how long a client may take to decide what the agent asks. 5 minutes
 * - `heartbeat`: the longest silence of a turn towards a client that wants to hear of it. 10 seconds
 * - `maxCalls`: how many calls a client may have under way at once; one more is refused. 64
 * - `maxArgumentBytes`: see `ToolServer.Options`
 * - `roots`: the directories, absolute and without links, inside which threads work, for clients that have none of their
 *   own. Anywhere
 */
export interface Options {
  readonly version: string
  readonly approvalTimeout?: Duration.Input
  readonly heartbeat?: Duration.Input
  readonly maxCalls?: number
  readonly maxArgumentBytes?: number
  readonly roots?: ReadonlyArray<string>
}

/**
 * A server of an agent, for any number of clients at once. A client holds the agent from its first call on. When it is away
 * its turns are interrupted and its hold ends; its next call attaches again. Where clients have tokens of their own, the
 * threads that one is told of are of use to nobody else.
 *
 * @param agent what it serves
 * @param options its version and its limits
 */
export const make = <StartOptions>(agent: Agent<StartOptions>, options: Options): ToolServer.ToolServer => {
  const tools = Tools.make(agent)
  const limits: ToolCall.Limits = {
    approvalTimeout: Duration.fromInputUnsafe(options.approvalTimeout ?? "5 minutes"),
    heartbeat: Duration.fromInputUnsafe(options.heartbeat ?? "10 seconds"),
  }
  return ToolServer.make({
    name: `zain-${agent.name}-mcp`,
    title: agent.title,
    version: options.version,
    instructions: tools.instructions,
    tools: tools.list,
    experimental: { "zain/events": {} },
    client: (principal, roots = options.roots ?? []) =>
      Effect.sync(() => {
        const attachment = ClientAttachment.make(agent.attach)
        const approved = ThreadApprovals.make()
        return {
          call: (params, context) =>
            ToolCall.make({ tools, redact: agent.redact }, params, {
              approved,
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
    ...(options.maxCalls === undefined ? {} : { maxCalls: options.maxCalls }),
    ...(options.maxArgumentBytes === undefined ? {} : { maxArgumentBytes: options.maxArgumentBytes }),
  })
}
