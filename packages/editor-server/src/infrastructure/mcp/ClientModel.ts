/**
 * The model of the MCP client, which a call may ask where the client declares `sampling`.
 *
 * @see Model Context Protocol 2025-11-25, sampling
 */
import { CreateMessageResultWithToolsSchema, McpError } from "@modelcontextprotocol/sdk/types.js"
import * as ClientRequest from "@zain/tool-server/ClientRequest"
import type { CallContext } from "@zain/tool-server/ToolServer"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../../domain/Quoted.ts"
import type { Question, Sample, SampleFailure } from "../../domain/Sample.ts"

/** How much the model may write. */
const maxTokens = 8_192

/** The largest answer, in bytes: eight for each token. */
export const mostAnswer = 8 * maxTokens

/** What a client answers whose user does not want the request. */
const rejected = -1

/** What the SDK of either side puts before a message. */
const sdkPrefix = /^(?:MCP error -?\d+: )+/

const fail = (reason: SampleFailure["reason"], message: string) => Effect.fail<SampleFailure>({ reason, message })

/**
 * @param limit of all questions together, from the first one
 * @returns undefined where the client does not offer sampling
 */
export const make = (
  { client, extra }: Pick<CallContext, "client" | "extra">,
  limit: Duration.Duration,
): Sample | undefined => {
  if (client?.sampling === undefined) return undefined
  let endsAt: number | undefined
  return Effect.fnUntraced(function* (question) {
    const now = yield* Clock.currentTimeMillis
    const most = Duration.min(limit, Duration.millis(question.timeoutMs ?? Number.POSITIVE_INFINITY))
    const late = () => fail("timeout", `The client's model timed out after ${Duration.format(most)}.`)
    endsAt ??= now + Duration.toMillis(most)
    const asked = ClientRequest.send(extra, requestOf(question), CreateMessageResultWithToolsSchema)
    return yield* asked.pipe(
      Effect.matchEffect({ onFailure: failureOf, onSuccess: ({ content }) => textOf(content) }),
      Effect.timeoutOrElse({ duration: endsAt - now, orElse: late }),
    )
  })
}

const requestOf = ({ prompt, system }: Question) => ({
  method: "sampling/createMessage" as const,
  params: {
    systemPrompt: system,
    messages: [{ role: "user" as const, content: { type: "text" as const, text: prompt } }],
    includeContext: "none" as const,
    maxTokens,
  },
})

const failureOf = (error: unknown) => {
  if (!(error instanceof McpError)) return noText
  const said = `${quoted(error.message.replace(sdkPrefix, ""))} (${error.code})`
  return error.code === rejected
    ? fail("refused", `The client rejected the sampling request: ${said}.`)
    : fail("failed", `The client failed to answer the sampling request: ${said}.`)
}

const noText = fail("malformed", "The client's answer to the sampling request has no text.")

/** The text of an answer of one block or several. */
const textOf = (content: { readonly type: string } | ReadonlyArray<{ readonly type: string }>) => {
  const blocks = [content].flat()
  const text = blocks.map((block) => ("text" in block && block.type === "text" ? String(block.text) : "")).join("")
  const bytes = Buffer.byteLength(text)
  if (bytes > mostAnswer) {
    return fail("too-large", `The client's model answered with ${bytes} bytes: ${mostAnswer} is the limit.`)
  }
  return text === "" ? noText : Effect.succeed(text)
}
