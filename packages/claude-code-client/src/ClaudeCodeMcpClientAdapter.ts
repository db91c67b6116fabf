/**
 * Claude Code behind the port.
 *
 * @see seed, `ClaudeCodeMcpClientAdapter`; requirements 3.1 to 3.4, 4.2 and 5.3
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as McpProvider from "@zain/core/McpProvider"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as Environment from "@zain/sdk-client/Environment"
import * as Failure from "@zain/sdk-client/Failure"
import type { StdioTarget } from "@zain/sdk-client/McpWire"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ClaudeCodeDialect from "./ClaudeCodeDialect.ts"
import { ClaudeCodeOptions } from "./ClaudeCodeOptions.ts"
import { serverArguments } from "./ClaudeCodeTransportFactory.ts"
import * as ReplyHook from "./ReplyHook.ts"

/** What is different about Claude Code. Its other tools run unchecked, so no name of a tool comes from a caller. */
const profile: AgentProfile<ClaudeCodeOptions> = {
  provider: McpProvider.claudeCode,
  supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: ClaudeCodeOptions,
  environment: [
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_*",
    "ANTHROPIC_*",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    ...Environment.proxies,
    "NODE_EXTRA_CA_CERTS",
  ],
  open: Effect.fnUntraced(function* (target, options, host) {
    if (target.transport !== "stdio") {
      return yield* Effect.fail(Failure.transportNotServed("Claude Code", target.transport))
    }
    const replies = ReplyHook.make(yield* host.directory)
    const call = ClaudeCodeDialect.call(options)
    return {
      target: withSettings(target, options, replies.env),
      call: (prompt, agentId) => {
        // What the hooks have told by now is of turns that are over: one that was cancelled may have spoken after all.
        replies.clear()
        return call(prompt, agentId)
      },
      read: ClaudeCodeDialect.read(replies),
      interrupted: (agentId) => agentId ?? replies.started(),
    }
  }),
  answer: () => undefined,
  event: ClaudeCodeDialect.event,
}

/** An idle Claude Code leaves within milliseconds of the end of its input; one that has answered before stays for ever. */
const shortly = Duration.millis(100)

/** Settings are flags of the program itself, so they stand before `mcp serve`. */
const withSettings = (
  target: StdioTarget,
  { cwd, model }: ClaudeCodeOptions,
  env: Readonly<Record<string, string>>,
): StdioTarget => {
  const at = target.args.lastIndexOf(serverArguments[0] as string)
  const settings = JSON.stringify({ ...ReplyHook.settings, ...(model === undefined ? {} : { model }) })
  return {
    ...target,
    ...(cwd === undefined ? {} : { cwd }),
    endOfInputGrace: shortly,
    args: at < 0 ? target.args : [...target.args.slice(0, at), "--settings", settings, ...target.args.slice(at)],
    env: { ...target.env, ...env },
  }
}

/** See `SdkMcpClient.Options`. */
export type Options = SdkMcpClient.Options<ClaudeCodeOptions>

/**
 * An adapter for Claude Code. Its sessions end with the Scope.
 *
 * @param options what every session starts with
 *
 * **Example**
 *
 * ```ts
 * import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const claude = yield* ClaudeCodeMcpClientAdapter.make()
 *   const session = yield* claude.openSession(ClaudeCodeTransportFactory.native())
 *   return yield* claude.execute(session, { content: "What does this repository do?" })
 * })
 *
 * Effect.runPromise(Effect.scoped(program)).then(({ content }) => console.log(content))
 * ```
 */
export const make = (options?: Options) => SdkMcpClient.make(profile, options)

/** `make` as both services, `McpClient` and `McpEvents`. */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))
