/**
 * One agent of this package: its clients, and the configurations of their sessions.
 */
import type { McpBudget } from "@zain/core/McpBudget"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The options of a client; all are optional. */
export interface ClientOptions<AgentOptions> extends Pick<McpPromiseClient.Options, "approvals"> {
  /** The agent's options for every session; each is overridden by `options` of `local` and `http`. */
  readonly options?: AgentOptions
  /**
   * How many bytes of unread events all sessions may buffer together, at 2 bytes a character; 128 MiB by default. While
   * they are used up, slow readers miss events, and receive a `Dropped` event with their number.
   */
  readonly maxTotalEventBytes?: number
  /** A limit of what this client and others with the same budget use, as `McpBudget.make({ turns: 20 })`; none by default. */
  readonly budget?: McpBudget
}

/** An agent: `make` makes clients, `local` and `http` are the configurations that their `openSession` takes. */
export interface AgentDoor<AgentOptions, LocalOptions, HttpOptions> {
  /**
   * Makes a client of this agent. Close it with `await using` or `close`, which ends its sessions and their processes.
   *
   * @param options `approvals`, without which every request for approval is declined, and the agent's `options` for every
   *   session
   *
   * @example
   * ```ts
   * import { codex, McpResult } from "@zain/agents"
   *
   * await using client = await codex.make({ approvals: { rules: [{ kind: "file-change", answer: "approve" }] } })
   * const session = await client.openSession(codex.local({ options: { sandbox: "read-only" } }))
   * if (McpResult.isFailure(session)) console.error(session.failure.reason, session.failure.message)
   * ```
   */
  readonly make: (options?: ClientOptions<AgentOptions>) => Promise<McpPromiseClient.McpPromiseClient>
  /**
   * Configuration of a session with the agent of this machine.
   *
   * @param options the agent's `options`, and the limits of the process and the connection; all are optional
   */
  readonly local: (options?: LocalOptions) => McpConnectionConfig
  /**
   * Configuration of a session with the agent of another machine, which runs the agent's MCP server with `http`.
   *
   * @param options the server's `url`, which alone is required, its `bearerToken`, the agent's `options`, and the limits of
   *   the connection
   *
   * @see docs/guides/run-remotely.md
   */
  readonly http: (options: HttpOptions) => McpConnectionConfig
}

/** What the package of an agent has for its door. */
interface Parts<AgentOptions, LocalOptions, HttpOptions>
  extends Pick<AgentDoor<AgentOptions, LocalOptions, HttpOptions>, "http" | "local"> {
  readonly make: (
    options: Pick<ClientOptions<AgentOptions>, "maxTotalEventBytes" | "options">,
  ) => Effect.Effect<McpClientAdapter, never, Scope.Scope>
  /** The name of its MCP server's program, which this package brings too. */
  readonly server: string
}

/** The door to an agent. */
export const make = <AgentOptions, LocalOptions extends { readonly server?: string }, HttpOptions>({
  http,
  local,
  make: adapter,
  server: name,
}: Parts<AgentOptions, LocalOptions, HttpOptions>): AgentDoor<AgentOptions, LocalOptions, HttpOptions> => ({
  make: ({ approvals, budget, ...options }: ClientOptions<AgentOptions> = {}) => {
    const own = adapter(options)
    return McpPromiseClient.make(budget?.limit(own) ?? own, approvals === undefined ? {} : { approvals })
  },
  local: (options) => {
    const server = options?.server ?? AgentServerCommand.find(`@zain/agents/${name}`, import.meta.url)
    return local({ ...(options as LocalOptions), ...(server === undefined ? {} : { server }) })
  },
  http,
})
