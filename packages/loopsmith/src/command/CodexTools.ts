/**
 * A Codex that can do nothing but answer: none of its own tools, and none of the MCP servers that its user has.
 *
 * @see Codex 0.169.0: with this it offers its model `request_user_input`, and to some models `apply_patch`, which its sandbox
 *   refuses; nothing else
 */
import { execFile } from "node:child_process"
import * as Environment from "@zain/sdk-client/Environment"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

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

/** What is known about how it is started. */
export interface Codex {
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * The configuration of such a Codex. A server cannot be left out, but it can be switched off by its name, so Codex is asked
 * for the names; where it does not tell them, that is logged, and they stay on.
 */
export const none = (codex: Codex): Effect.Effect<Config> =>
  servers(codex).pipe(
    Effect.map((names) => ({
      ...own,
      mcp_servers: Object.fromEntries(names.map((name) => [name, { enabled: false }])),
    })),
    Effect.catch((problem) =>
      Effect.as(
        Effect.logWarning("Codex does not tell which MCP servers it has: it may use them.").pipe(
          Effect.annotateLogs({ problem }),
        ),
        own,
      ),
    ),
  )

const Servers = Schema.fromJsonString(Schema.Array(Schema.Struct({ name: Schema.String })))

const servers = (codex: Codex): Effect.Effect<ReadonlyArray<string>, string> =>
  list(codex).pipe(
    Effect.flatMap((text) => Effect.mapError(Schema.decodeUnknownEffect(Servers)(text), () => "its list is no JSON")),
    Effect.map((found) => found.map(({ name }) => name)),
  )

/** It answers within a tenth of a second. */
const patience = 10_000

const list = ({ cwd, env, program }: Codex): Effect.Effect<string, string> =>
  Effect.callback((resume, signal) => {
    const options = { cwd, env: Environment.make(env, ["CODEX_*"], { env: {} }).env, signal, timeout: patience }
    execFile(program, ["mcp", "list", "--json"], options, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error.message)),
    )
  })
