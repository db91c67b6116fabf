/**
 * Codex behind the port.
 *
 * @see seed, `CodexMcpClientAdapter`; requirements 2.1 to 2.4, 4.1 and 5.2
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as McpProvider from "@zain/core/McpProvider"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as Environment from "@zain/sdk-client/Environment"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CodexDialect from "./CodexDialect.ts"
import * as CodexElicitation from "./CodexElicitation.ts"
import { CodexOptions } from "./CodexOptions.ts"
import * as CodexVersion from "./CodexVersion.ts"

/** An idle Codex leaves within milliseconds of the end of its input; one in the middle of a turn stays until its end. */
const shortly = Duration.millis(250)

/** What is different about Codex. */
const profile = (): AgentProfile<CodexOptions> => {
  const checkVersion = CodexVersion.makeCheck()
  return {
    provider: McpProvider.codex,
    supports: { streaming: true, approvals: false, cancelKeepsConversation: false, failureKeepsConversation: false },
    options: CodexOptions,
    environment: ["CODEX_HOME", "OPENAI_API_KEY", ...Environment.proxies, "SSL_CERT_FILE", "SSL_CERT_DIR"],
    open: (target, options, host) => {
      const dialect = { call: CodexDialect.call(options), read: CodexDialect.read }
      return target.transport === "stdio"
        ? Effect.as(checkVersion(target, host), { ...dialect, target: { ...target, endOfInputGrace: shortly } })
        : Effect.succeed({ ...dialect, target })
    },
    answer: CodexElicitation.answer,
    event: CodexDialect.event,
  }
}

/** See `SdkMcpClient.Options`. */
export type Options = SdkMcpClient.Options<CodexOptions>

/**
 * An adapter for Codex. Its sessions end with the Scope.
 *
 * @param options what every session starts with
 *
 * **Example**
 *
 * ```ts
 * import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const codex = yield* CodexMcpClientAdapter.make()
 *   const session = yield* codex.openSession(CodexTransportFactory.native())
 *   return yield* codex.execute(session, { content: "What does this repository do?" })
 * })
 *
 * Effect.runPromise(Effect.scoped(program)).then(({ content }) => console.log(content))
 * ```
 */
export const make = (options?: Options) => Effect.suspend(() => SdkMcpClient.make(profile(), options))

/** `make` as both services, `McpClient` and `McpEvents`. */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))
