/**
 * The model of the MCP client, which a call may ask where the client declares `sampling`.
 *
 * @see Model Context Protocol 2025-11-25, sampling
 */
import { isRecord } from "@zain/process/JsonRpc"
import type { ProtocolError } from "@zain/tool-server/ProtocolError"
import type { CallContext } from "@zain/tool-server/ToolServer"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quoted } from "../../domain/Quoted.ts"
import type { Question, Sample, SampleFailure } from "../../domain/Sample.ts"

/** How much the model may write. */
const maxTokens = 8_192

/** The largest answer, in bytes: eight for each token. */
export const maxAnswerBytes = 8 * maxTokens

/** What a client answers whose user does not want the request. */
const rejected = -1

/** What the official SDK of the client puts before a message. */
const sdkPrefix = /^(?:MCP error -?\d+: )+/

const fail = (reason: SampleFailure["reason"], message: string) => Effect.fail<SampleFailure>({ reason, message })

/**
 * @param limit of all questions together, from the first one
 * @returns undefined where the client does not offer sampling
 */
export const make = (
  { client, request }: Pick<CallContext, "client" | "request">,
  limit: Duration.Duration,
): Sample | undefined => {
  if (client?.sampling === undefined) return undefined
  let endsAt: number | undefined
  return Effect.fnUntraced(function* (question) {
    const now = yield* Clock.currentTimeMillis
    const max = Duration.min(limit, Duration.millis(question.timeoutMs ?? Number.POSITIVE_INFINITY))
    const late = () => fail("timeout", `The client's model timed out after ${Duration.format(max)}.`)
    endsAt ??= now + Duration.toMillis(max)
    return yield* request
      .ask(requestOf(question))
      .pipe(
        Effect.matchEffect({ onFailure: failureOf, onSuccess: ({ content }) => textOf(content) }),
        Effect.timeoutOrElse({ duration: endsAt - now, orElse: late }),
      )
  })
}

const requestOf = ({ prompt, system }: Question) => ({
  method: "sampling/createMessage",
  params: {
    systemPrompt: system,
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    includeContext: "none",
    maxTokens,
  },
})

const failureOf = ({ code, message }: ProtocolError) => {
  const said = `${quoted(message.replace(sdkPrefix, ""))} (${code})`
  return code === rejected
    ? fail("refused", `The client rejected the sampling request: ${said}.`)
    : fail("failed", `The client failed to answer the sampling request: ${said}.`)
}

const noText = fail("malformed", "The client's answer to the sampling request has no text.")

/** The text of an answer of one block or several. */
const textOf = (content: unknown) => {
  const blocks = [content].flat().filter(isRecord)
  const texts = blocks.map(({ text, type }) => (type === "text" && typeof text === "string" ? text : ""))
  const text = texts.join("")
  const bytes = Buffer.byteLength(text)
  if (bytes > maxAnswerBytes) {
    return fail("too-large", `The client's model answered with ${bytes} bytes: ${maxAnswerBytes} is the limit.`)
  }
  return text === "" ? noText : Effect.succeed(text)
}
