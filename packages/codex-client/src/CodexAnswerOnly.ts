/**
 * A Codex that can do nothing but answer: none of its own tools, and nothing that its user has added to it. An MCP server
 * brings tools, and a document that names a skill, as `$name`, brings the skill's file into the prompt.
 *
 * @see Codex 0.169.0: with this it offers its model `request_user_input`, and to some models `apply_patch`, which its sandbox
 *   refuses; nothing else
 */
import type { ConnectionUnavailable } from "@zain/core/McpError"
import * as HostGuard from "@zain/process/HostGuard"
import * as AnswerOnly from "@zain/sdk-client/AnswerOnly"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as CodexInventory from "./CodexInventory.ts"
import * as Adapter from "./CodexMcpClientAdapter.ts"
import * as CodexTransportFactory from "./CodexTransportFactory.ts"

/** Keys of its `config.toml`. */
type Config = Readonly<Record<string, Schema.Json>>

const own: Config = {
  web_search: "disabled",
  features: {
    shell_tool: false,
    unified_exec: false,
    view_image: false,
    multi_agent: false,
    goals: false,
    apps: false,
    plugins: false,
  },
}

/**
 * The configuration of such a Codex, as things are now. No server and no skill can be left out, but each can be switched off
 * by its name, so Codex is asked for the names. Where it does not tell them there is no such configuration.
 */
export const none = (
  codex: CodexInventory.Codex,
  guard: HostGuard.HostGuard,
): Effect.Effect<Config, ConnectionUnavailable> =>
  Effect.map(CodexInventory.read(codex, guard), ({ servers, skills }) => ({
    ...own,
    mcp_servers: Object.fromEntries(servers.map((name) => [name, off])),
    skills: {
      include_instructions: false,
      bundled: off,
      config: skills.flatMap(({ name, path }) => [
        { name, ...off },
        { path, ...off },
      ]),
    },
  }))

const off = { enabled: false }

/**
 * A client, and the configuration of sessions in which Codex can only answer. Its user may add something at any time: each
 * session opens with what there is to switch off then.
 */
export const open = Effect.fnUntraced(function* (given: AnswerOnly.AnswerOnlyOptions) {
  const { cwd, env: passed, host: env, model, program } = given
  const options = {
    cwd,
    sandbox: "read-only",
    approvalPolicy: "never",
    ...(model === undefined ? {} : { model }),
  } as const
  const client = yield* Adapter.make()
  const guard = yield* HostGuard.make
  const openSession: typeof client.openSession = (config) =>
    none({ program, env, passed, cwd }, guard).pipe(
      Effect.flatMap((tools) => client.openSession({ ...config, providerOptions: { ...options, config: tools } })),
    )
  const config = CodexTransportFactory.local({ ...AnswerOnly.local(given), options })
  return { client: { ...client, openSession }, config } satisfies AnswerOnly.AnswerOnly
})
