/**
 * Approvals of the agent as an elicitation form that any MCP client can answer.
 *
 * @see Model Context Protocol 2025-11-25, elicitation; docs/internals/promises.md, 23
 */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js"
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { isRecord } from "@zain/process/JsonRpc"
import { clip } from "@zain/tool-server/Clip"
import type { RequestContext } from "@zain/tool-server/Peer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

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
  if (!canBeAsked(client)) return Effect.succeed(decline("The client of this server cannot be asked for approval."))
  const params = {
    mode: "form" as const,
    message: question(request),
    requestedSchema,
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
      onSuccess: decisionOf,
    }),
  )
}

const decisionOf = ({ action, content: given }: Readonly<Record<string, unknown>>): McpApprovalDecision => {
  const content = given ?? {}
  if (!isRecord(content) || (action !== "accept" && action !== "decline" && action !== "cancel")) return unanswered
  const { forSession, reason } = content
  if (action === "accept") return { _tag: forSession === true ? "ApproveForSession" : "Approve" }
  if (typeof reason === "string" && reason !== "") return decline(reason)
  return decline(action === "cancel" ? "The question was dismissed." : "The user declined.")
}

const decline = (reason: string): McpApprovalDecision => ({ _tag: "Decline", reason })
const unanswered = decline("The client could not answer the question.")

const canBeAsked = (client: ClientCapabilities | undefined): boolean => {
  const elicitation = client?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** How much of a tool's input the question shows, in characters. */
const longestInput = 2000

/**
 * The question with its details, except those that it quotes already. The agent's text stands behind a label, or behind `│`,
 * so that a line break in it cannot start a line that looks like one of the server's.
 */
const question = ({ changes = [], command, cwd, input, message, paths = [], reason }: McpApprovalRequest): string => {
  const details = [
    ["Command", command],
    ["Directory", cwd],
    ...paths.map((path) => ["File", path] as const),
    ["Input", input === undefined ? undefined : clip(JSON.stringify(input), longestInput)],
    ["Reason", reason],
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
