/**
 * The client of a cluster over an engine that runs already.
 */
import { randomUUID } from "node:crypto"
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import type * as McpClientAdapter from "@zain/core/McpClientAdapter"
import { invalidConfig, type McpError } from "@zain/core/McpError"
import type { McpRequest } from "@zain/core/McpRequest"
import type { McpResponse } from "@zain/core/McpResponse"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CallerTurns from "./CallerTurns.ts"
import * as ClusterDriver from "./ClusterDriver.ts"

/** Which agent answers, and where its sessions run. */
export interface Options {
  /** The name of the agent in the table of the runners, such as `codex`. */
  readonly provider: string
  /** The group of runners; `"default"` by default. */
  readonly runners?: string
  /**
   * The principal that sessions and keys of `executeOnce` belong to. A runner refuses the sessions of another one. A random one
   * by default, so that keys do not outlive the client.
   */
  readonly owner?: string
  /**
   * How long a runner may take to accept a turn; then `execute` fails with `unreachable` and `not-sent`, or with `unknown` if
   * the turn may have begun. 30 seconds by default.
   */
  readonly acceptTimeout?: Duration.Input
  /** The policy of every session; by default the service `McpApproval` where the client is made. It runs at the caller. */
  readonly approvals?: McpApprovalPolicy
  /** How many bytes of unread events all sessions may buffer together; 128 MiB by default. */
  readonly maxTotalEventBytes?: number
}

/** A client of a cluster: the port, and `executeOnce` beside it. */
export interface ClusterMcpClient extends McpClientAdapter.McpClientAdapter {
  /**
   * Runs one turn under a key of the caller's: of all calls of one owner with the key, one reaches the agent. A later call, also
   * of another process and in another session, returns its answer for ten minutes after its end.
   *
   * Fails as `execute` does, and with `connection-lost` and `unknown` while a turn of the key is under way, after one that was
   * lost, and once its answer is not kept any more.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param request the prompt, as for `execute`
   * @param key 1 to 256 characters
   */
  readonly executeOnce: <A = unknown>(
    sessionId: McpSessionId,
    request: McpRequest<A>,
    key: string,
  ) => Effect.Effect<McpResponse<A>, McpError>
}

/** The longest key, in characters. */
const maxKeyLength = 256

/** Makes a client over the engine and the ledger where it runs. Fails with `unreachable` if no runner answers. */
export const over = Effect.fnUntraced(function* (options: Options) {
  const { acceptTimeout = "30 seconds", approvals, maxTotalEventBytes, owner = randomUUID() } = options
  const driver = yield* ClusterDriver.make({
    ...{ agent: options.provider, group: options.runners ?? "default", owner },
    acceptTimeout: Duration.fromInputUnsafe(acceptTimeout),
  })
  const adapter = yield* McpSessionRuntime.make({ ...driver, approvals, maxTotalEventBytes })
  const client: ClusterMcpClient = {
    ...adapter,
    executeOnce: (sessionId, request, key) =>
      typeof key === "string" && key.length > 0 && key.length <= maxKeyLength
        ? Effect.provideService(adapter.execute(sessionId, request), CallerTurns.OnceKey, key)
        : Effect.fail(invalidConfig(`The \`key\` of executeOnce must have 1 to ${maxKeyLength} characters.`)),
  }
  return client
})
