/**
 * Approvals of the agent as an elicitation form that any MCP client can answer.
 *
 * @see Model Context Protocol 2025-11-25, elicitation; docs/internals/promises.md, 23
 */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js"
import { clip } from "@zain/command/Clip"
import { dismissed, type McpApprovalDecision, type McpApprovalRequest, type McpQuestion } from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { isRecord } from "@zain/process/JsonRpc"
import type { RequestContext } from "@zain/tool-server/Peer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { JsonObject } from "./JsonMember.ts"

/** Both fields are optional: plain accept and plain decline suffice. */
const requestedSchema = {
  type: "object" as const,
  properties: {
    forSession: {
      type: "boolean" as const,
      title: "Allow for the rest of the session",
      description: "Also allow exactly this, without asking again.",
    },
    reason: { type: "string" as const, title: "Reason", description: "Why not; the agent receives it." },
  },
}

/** The property for own words beside the options of a question; the id of a question has no dot. */
const otherOf = (id: string) => `${id}.other`

/** The questions as a form; none of its fields is required. */
const formOf = (questions: ReadonlyArray<McpQuestion>) => {
  const fields = questions.flatMap(({ header, id, isClosed, isMultiple, options, text }) => {
    const about = { ...(header === undefined ? {} : { title: header }), description: text }
    const choice =
      options.length === 0 ? { type: "string" } : { type: "string", enum: options.map(({ label }) => label) }
    const field = isMultiple === true ? { ...about, type: "array", items: choice } : { ...about, ...choice }
    const other = { type: "string", title: "Other", description: `In own words: ${text}` }
    return [[id, field] as const, ...(options.length === 0 || isClosed === true ? [] : [[otherOf(id), other] as const])]
  })
  return { type: "object", properties: Object.fromEntries(fields) }
}

/**
 * Requests a decision from the client. Declines when the client does not support elicitation, fails, or does not answer in
 * time. An interrupt cancels the request at the client.
 *
 * @param timeout how long the client may take
 */
export const ask = (
  request: McpApprovalRequest,
  client: ClientCapabilities | undefined,
  { ask: elicit }: Pick<RequestContext, "ask">,
  timeout: Duration.Duration,
): Effect.Effect<McpApprovalDecision> => {
  const { kind, questions = [] } = request
  const isQuestion = kind === "question"
  if (!canBeAsked(client)) {
    return Effect.succeed(decline(isQuestion ? dismissed : "The client of this server cannot be asked for approval."))
  }
  // MCP forbids forms for secrets; Zain's client keeps their answers out of events and logs.
  if (questions.some(({ isSecret }) => isSecret === true) && client?.experimental?.["zain/events"] === undefined) {
    return Effect.succeed(decline(dismissed))
  }
  const params = {
    mode: "form" as const,
    message: question(request),
    requestedSchema: isQuestion ? formOf(questions) : requestedSchema,
    _meta: { "zain/approval": request },
  }
  const late = Effect.as(
    Effect.sleep(timeout),
    decline(`The client did not answer within ${Duration.format(timeout)}.`),
  )
  return Effect.raceFirst(
    late,
    Effect.match(elicit({ method: "elicitation/create", params }), {
      onFailure: () => unanswered,
      onSuccess: (answer) => decisionOf(request, answer),
    }),
  )
}

const decisionOf = (
  { kind, questions = [] }: McpApprovalRequest,
  { action, content: given }: Readonly<Record<string, unknown>>,
): McpApprovalDecision => {
  const content = given ?? {}
  if (!isRecord(content) || (action !== "accept" && action !== "decline" && action !== "cancel")) return unanswered
  const { forSession, reason } = content
  if (action === "accept" && kind === "question") return answerOf(questions, content)
  if (action === "accept") return { _tag: forSession === true ? "ApproveForSession" : "Approve" }
  if (typeof reason === "string" && reason !== "") return decline(reason)
  return action === "cancel" ? skipped : decline("The user declined.")
}

const answerOf = (questions: ReadonlyArray<McpQuestion>, content: JsonObject): McpApprovalDecision => {
  const answers = questions.flatMap(({ id }) => {
    const given = [id, otherOf(id)].flatMap((name) => (Object.hasOwn(content, name) ? content[name] : []))
    const texts = given.flatMap((one) => (typeof one === "string" && one !== "" ? [one] : []))
    return texts.length === 0 ? [] : [[id, texts] as const]
  })
  return answers.length === 0 ? skipped : { _tag: "Answer", answers: Object.fromEntries(answers) }
}

const decline = (reason: string): McpApprovalDecision => ({ _tag: "Decline", reason })
const unanswered = decline("The client could not answer the question.")
const skipped = decline("The question was dismissed.")

/** Whether the client decides approvals and answers questions. */
export const canBeAsked = (client: ClientCapabilities | undefined): boolean => {
  const elicitation = client?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** How much of a tool's input the question shows, in characters. */
const maxInputLength = 2000

/**
 * The question with its details, except those that it quotes already. The agent's text stands behind a label, or behind `│`,
 * so that a line break in it cannot start a line that looks like one of the server's.
 */
const question = (request: McpApprovalRequest): string => {
  const { changes = [], command, cwd, input, message, paths = [], questions = [], reason } = request
  const details = [
    ["Command", command],
    ["Directory", cwd],
    ...paths.map((path) => ["File", path] as const),
    ["Input", input === undefined ? undefined : clip(JSON.stringify(input), maxInputLength)],
    ["Reason", reason],
    ...questions.flatMap(({ options, text }) => [
      ["Question", text] as const,
      ...options.map(
        ({ description, label }) => ["Option", description === undefined ? label : `${label}: ${description}`] as const,
      ),
    ]),
  ] as ReadonlyArray<readonly [string, string | undefined]>
  // A quotation that was found is removed, because a command may quote the directory too.
  let rest = message
  const isSaid = (value: string): boolean => {
    const before = rest
    rest = rest.replace(`\`${value}\``, () => "")
    // A backtick in it could end the quotation early, and the rest would read as the server's text.
    return rest !== before && !value.includes("`")
  }
  const missing = details.flatMap(([name, value]) =>
    value === undefined || isSaid(value) ? [] : [`${name}: ${value}`],
  )
  const diffs = changes.map(({ diff, kind, movedTo, path }) =>
    [`${kind} ${path}${movedTo === undefined ? "" : ` to ${movedTo}`}`, diff].join("\n").trimEnd(),
  )
  return [message, ...missing, ...diffs].map((line) => visible(line).replaceAll("\n", "\n│ ")).join("\n")
}
