/**
 * The configuration of a session on the wire: what a caller may choose, its secrets in plain text there only.
 */

import type * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { Parsed } from "@zain/core/McpConnectionConfig"
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A configuration as it crosses. `limits` has durations in milliseconds. */
export const Configuration = Schema.Struct({
  /** The agent's options, where `cwd` is the name of a workspace; secrets as `secretOf` has them. */
  options: Schema.Record(Schema.String, Schema.Unknown),
  /** The limits of the connection, every one set. */
  limits: Schema.Struct({
    connectTimeout: Schema.Number,
    idleTimeout: Schema.Number,
    closeGrace: Schema.Number,
    maxMessageBytes: Schema.Int,
    maxMessageDepth: Schema.Int,
    maxMessageElements: Schema.Int,
    maxEventBytes: Schema.Int,
    maxWaiting: Schema.Int,
    maxAttachmentBytes: Schema.Int,
  }),
})
export type Configuration = typeof Configuration.Type

/** The member of an object that stands for a secret. */
const secret = "@zain/secret"

/** The name of the agent in the `serverUrl` of a configuration. */
const agentUrl = /^stdio:([\w.-]+)$/

/**
 * Makes the configuration of a session on a runner.
 *
 * @param agent the name of the agent in the runner's table
 * @param options `options` of the agent, where `cwd` is the name of a workspace, and the limits of the connection
 */
export const configOf = (
  agent: string,
  {
    options,
    ...limits
  }: McpConnectionConfig.McpLimits & { readonly options?: Readonly<Record<string, unknown>> | undefined } = {},
): McpConnectionConfig.McpConnectionConfig => ({
  ...limits,
  serverUrl: `stdio:${agent}`,
  transport: "stdio",
  ...(options === undefined ? {} : { providerOptions: options }),
})

/**
 * Reads what a caller chooses. Fails with `invalid-config` for what a runner decides: the command, its environment and
 * arguments, and servers elsewhere.
 *
 * @param config the configuration of the session
 * @returns the name of the agent, and the configuration as it crosses
 */
export const encode = (
  config: Parsed,
): Result.Result<{ readonly agent: string; readonly configuration: Configuration }, InvalidRequest> => {
  const agent = agentUrl.exec(config.serverUrl)?.[1]
  if (agent === undefined || config.transport !== "stdio") {
    return refused("`serverUrl`", "It must name an agent of the runners, as `ClusterMcpClient.config` does")
  }
  if (Object.keys(config.env).length > 0)
    return refused("`env`", "Remove it, and name the variables in the runner's file of agents")
  if (Object.keys(config.headers).length > 0) return refused("`headers`", "Remove them")
  if (config.shared) return refused("`shared`", "Remove it")
  const { closeGrace, connectTimeout, idleTimeout, maxMessageBytes, maxMessageDepth, maxMessageElements } = config
  const { maxAttachmentBytes, maxEventBytes, maxWaiting } = config
  const limits = {
    connectTimeout: Duration.toMillis(connectTimeout),
    idleTimeout: Duration.toMillis(idleTimeout),
    closeGrace: Duration.toMillis(closeGrace),
    ...{ maxMessageBytes, maxMessageDepth, maxMessageElements, maxAttachmentBytes, maxEventBytes, maxWaiting },
  }
  return Result.succeed({ agent, configuration: { options: encodeOptions(config.providerOptions), limits } })
}

const refused = (member: string, remedy: string) =>
  Result.fail(invalidConfig(`A session on a runner takes no ${member} of this kind: the runner decides it. ${remedy}.`))

/**
 * Unwraps the secrets of options, and leaves out what JSON has not.
 *
 * @param options the agent's options, of a session or of one turn
 */
export const encodeOptions = (options: object): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(unwrapped(options)))

const unwrapped = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { [secret]: Redacted.value(value) }
  if (Array.isArray(value)) return value.map(unwrapped)
  return Predicate.isObject(value) ? mapped(value, unwrapped) : value
}

/**
 * Wraps the secrets of options again.
 *
 * @param options what `encodeOptions` returned
 */
export const decodeOptions = (options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  mapped(options, wrapped)

const wrapped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(wrapped)
  if (!Predicate.isObject(value)) return value
  const hidden = (value as Readonly<Record<string, unknown>>)[secret]
  return hidden === undefined ? mapped(value, wrapped) : Redacted.make(hidden)
}

const mapped = (value: object, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]))
