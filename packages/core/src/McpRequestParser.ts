/**
 * Checks whether a prompt can be sent. Every `execute` uses it.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Attachments from "./Attachments.ts"
import type { McpAttachment } from "./McpAttachment.ts"
import { InvalidRequest, type InvalidRequestReason } from "./McpError.ts"
import type { McpOutput } from "./McpOutput.ts"
import type { McpRequest, Parsed } from "./McpRequest.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as PositiveDuration from "./PositiveDuration.ts"

const refused = (reason: InvalidRequestReason, message: string) =>
  Result.fail(new InvalidRequest({ reason, message, delivery: "not-sent" }))

const emptyContent = () => refused("empty-content", "The prompt is empty. Send at least one character.")

const malformed = (what: string) => refused("invalid-config", what)

const noOptions = '`providerOptions` of a request must be an object with options of the agent, as in { model: "NAME" }.'

/**
 * Checks a prompt and reads its deadline. `execute` reads its `output`, its
 * `attachments` and its `providerOptions`.
 *
 * @param input a prompt, or an object with `content` and optionally `deadline` (a duration above zero; a number is
 *   milliseconds), `output`, `attachments` and `providerOptions`
 * @returns the request, or a failure with `InvalidRequest`: `empty-content` for no characters, `invalid-config` for
 *   anything else that is not a request
 *
 * @example
 * ```ts
 * import { McpRequestParser } from "@zain/core"
 *
 * McpRequestParser.parse("") //                        Failure, reason "empty-content"
 * McpRequestParser.parse(" ") //                       Success: one character is a prompt
 * McpRequestParser.parse({ content: "Go", deadline: "5 minutes" })
 * ```
 *
 * @see seed, `McpRequestParser`; requirements 5.1 to 5.3
 */
export const parse = (input: unknown): Result.Result<Parsed, InvalidRequest> => {
  if (typeof input === "string") return input.length === 0 ? emptyContent() : Result.succeed({ content: input })
  if (typeof input !== "object" || input === null) {
    return malformed("The request is malformed. Pass a prompt (a string), or an object with `content`.")
  }
  const { attachments, content, deadline, output, providerOptions } = input as {
    readonly [name in keyof McpRequest]?: unknown
  }
  if (typeof content !== "string")
    return malformed('`content` of a request must be a string, as in { content: "Go", deadline: "5 minutes" }.')
  if (content.length === 0) return emptyContent()
  // Nearly every request is a prompt alone.
  const isPrompt = deadline === undefined && output === undefined && attachments === undefined
  if (isPrompt && providerOptions === undefined) return Result.succeed({ content })
  const problem =
    (attachments === undefined ? undefined : Attachments.problem(attachments)) ??
    (output === undefined ? undefined : OutputSchema.problem(output)) ??
    (providerOptions === undefined || Predicate.isObject(providerOptions) ? undefined : noOptions)
  if (problem !== undefined) return malformed(problem)
  const request = {
    content,
    ...(output === undefined ? {} : { output: output as McpOutput }),
    ...(attachments === undefined ? {} : { attachments: attachments as ReadonlyArray<McpAttachment> }),
    ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as object }),
  }
  if (deadline === undefined) return Result.succeed(request)
  const limit = PositiveDuration.read(deadline)
  return Option.isSome(limit)
    ? Result.succeed({ ...request, deadline: limit.value })
    : malformed(`\`deadline\` of a request must be ${PositiveDuration.expected}.`)
}
