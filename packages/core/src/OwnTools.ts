/**
 * The tools of one session: their table, and the calls of them.
 *
 * @see docs/decisions/0035-tools-of-your-own.md
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { ToolAnswer } from "./AgentConnection.ts"
import type { McpApprovalRequest } from "./ApprovalRequest.ts"
import type { McpApprovalReply } from "./ApprovalUse.ts"
import * as HostCallback from "./HostCallback.ts"
import { clip, type InvalidRequest, invalidConfig } from "./McpError.ts"
import type { McpTool, McpToolContext } from "./McpTool.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as PositiveDuration from "./PositiveDuration.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

/** A tool that was read. */
export interface OwnTool extends Pick<McpTool, "run"> {
  readonly definition: ToolDefinition.ToolDefinition
  readonly check: OutputSchema.OutputSchema["check"]
  readonly limit: Duration.Duration
}

/** The largest result, in bytes of UTF-8, and the longest text about a failure. */
const [maxResultBytes, maxFailureLength] = [256 * 1024, 4096]

const defaultTimeout = Duration.minutes(5)

/** Reads `tools` of a configuration. Fails with `invalid-config`, and the path of the first problem. */
export const read = Effect.fnUntraced(function* (
  tools: ReadonlyArray<McpTool>,
): Effect.fn.Return<ReadonlyArray<OwnTool>, InvalidRequest> {
  const own: Array<OwnTool> = []
  for (const [at, { description, input, name, run, timeout = defaultTimeout }] of tools.entries()) {
    const member = `\`tools.${at}.input\``
    const problem = OutputSchema.problem(input, member)
    if (problem !== undefined) return yield* Effect.fail(invalidConfig(problem))
    const { check, json } = yield* OutputSchema.read(input, member)
    if (json === undefined) return yield* Effect.fail(invalidConfig(`${member} ${noJsonSchema}`))
    const limit = PositiveDuration.read(timeout)
    if (Option.isNone(limit)) {
      return yield* Effect.fail(invalidConfig(`\`tools.${at}.timeout\` must be ${PositiveDuration.expected}.`))
    }
    own.push({ definition: { name, description, inputSchema: json }, check, run, limit: limit.value })
  }
  const definitions = ToolDefinition.read(own.map(({ definition }) => definition))
  return Result.isFailure(definitions) ? yield* Effect.fail(invalidConfig(`${definitions.failure}.`)) : own
})

const noJsonSchema =
  "is a schema of a library that does not convert it to JSON Schema. Update the library, or pass a JSON Schema."

/** One call of a tool. */
export interface Call {
  readonly name: string
  /** The arguments, unchecked. */
  readonly args: unknown
  readonly context: Omit<McpToolContext, "signal">
  /** Asks the policy. */
  readonly approve: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply>
  /** Whether the turn still runs, and the session is open. */
  readonly isOpen: () => boolean
}

/**
 * Calls a tool: its arguments are checked, then the policy decides, then it runs. Always succeeds; what fails is an error that
 * the model reads. An interruption aborts the tool's signal, and does not wait for its end.
 */
export const call = Effect.fnUntraced(function* (
  tools: ReadonlyArray<OwnTool>,
  { approve, args, context, isOpen, name }: Call,
): Effect.fn.Return<ToolAnswer> {
  const tool = tools.find(({ definition }) => definition.name === name)
  if (tool === undefined) return failed(`This session has no tool \`${clip(name, 64)}\`.`)
  const checked = yield* tool.check(args)
  if (Result.isFailure(checked)) {
    const problems = OutputSchema.bounded(checked.failure).join("; ")
    return failed(`The arguments of \`${name}\` do not fit its schema: ${problems}. Correct them, and call it again.`)
  }
  const message = `${context.provider} wants to use \`${name}\`, a tool of this session's own`
  const decision = yield* approve({ kind: "tool", message, tool: name, input: args })
  if (decision._tag === "Decline") return failed(decision.reason)
  if (!isOpen()) return turnOver
  const running = HostCallback.unattached((signal) => tool.run(checked.success as never, { ...context, signal }))
  const exit = yield* Effect.exit(Effect.timeoutOption(running, tool.limit))
  if (Exit.isFailure(exit)) {
    return failed(`\`${name}\` failed: ${HostCallback.wordsOf(Cause.squash(exit.cause))}`)
  }
  return Option.isNone(exit.value)
    ? failed(`\`${name}\` timed out after ${Duration.format(tool.limit)}.`)
    : answerOf(name, exit.value.value)
})

/** The answer to a call after the end of its turn. */
export const turnOver: ToolAnswer = { text: "The turn is over.", isError: true }

const failed = (why: string): ToolAnswer => ({ text: clip(why, maxFailureLength), isError: true })

/** The result as the model reads it. */
const answerOf = (name: string, value: unknown): ToolAnswer => {
  const text = textOf(value)
  if (text === undefined) return failed(`The result of \`${name}\` is neither a text nor JSON.`)
  const bytes = Buffer.byteLength(text)
  return bytes > maxResultBytes
    ? failed(`The result of \`${name}\` has ${bytes} bytes, more than ${maxResultBytes}. Ask it for less.`)
    : { text: text.toWellFormed(), isError: false }
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (value === undefined) return ""
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
