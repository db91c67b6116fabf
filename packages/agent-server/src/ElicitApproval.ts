/**
 * What an agent asks before it acts, put to the client as a form that any MCP client can answer.
 *
 * @see Model Context Protocol 2025-11-25, elicitation; promise 23
 */
import { type ClientCapabilities, type ElicitResult, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js"
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import * as ClientRequest from "@zain/tool-server/ClientRequest"
import { clip } from "@zain/tool-server/Clip"
import { visible } from "@zain/tool-server/TerminalText"
import type { CallExtra } from "@zain/tool-server/ToolServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Both fields may stay away: plain accept and plain decline are enough. */
const requestedSchema = {
  type: "object" as const,
  properties: {
    forSession: {
      type: "boolean" as const,
      title: "Allow for the rest of the session",
      description: "Also allow exactly this, without asking again.",
    },
    reason: { type: "string" as const, title: "Reason", description: "Why not; the agent is told." },
  },
}

/**
 * Asks the client. Always decides: who cannot be asked, fails, or does not answer in time, has declined. When it is
 * interrupted, the client is told that nobody waits for its answer any more.
 *
 * @param timeout how long the client may take
 */
export const ask = (
  request: McpApprovalRequest,
  client: ClientCapabilities | undefined,
  extra: Pick<CallExtra, "requestId" | "sendRequest">,
  timeout: Duration.Duration,
): Effect.Effect<McpApprovalDecision> => {
  if (!canBeAsked(client)) return Effect.succeed(decline("The client of this server cannot be asked for approval."))
  const params = {
    mode: "form" as const,
    message: question(request),
    requestedSchema,
    _meta: { "zain/approval": request },
  }
  const late = Effect.as(Effect.sleep(timeout), decline(`Nobody answered within ${Duration.format(timeout)}.`))
  const answered = ClientRequest.send(extra, { method: "elicitation/create", params }, ElicitResultSchema)
  return Effect.raceFirst(
    late,
    Effect.match(answered, {
      onFailure: () => decline("The client could not answer the question."),
      onSuccess: decisionOf,
    }),
  )
}

const decisionOf = ({ action, content }: ElicitResult): McpApprovalDecision => {
  if (action === "accept") return { _tag: content?.["forSession"] === true ? "ApproveForSession" : "Approve" }
  const reason = content?.["reason"]
  if (typeof reason === "string" && reason !== "") return decline(reason)
  return decline(action === "cancel" ? "The question was dismissed." : "The user declined.")
}

const decline = (reason: string): McpApprovalDecision => ({ _tag: "Decline", reason })

const canBeAsked = (client: ClientCapabilities | undefined): boolean => {
  const elicitation = client?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** How much of what a tool gets people are shown, in characters. */
const longestInput = 2000

/**
 * The question, and what people need to see before they answer, unless it quotes that already. What the agent wrote stands on
 * the line of its name, or behind a mark: no line break of its own makes a line that looks like ours.
 */
const question = ({ changes = [], command, cwd, input, message, paths = [], reason }: McpApprovalRequest): string => {
  const details = [
    ["Command", command],
    ["Directory", cwd],
    ...paths.map((path) => ["File", path] as const),
    ["Input", input === undefined ? undefined : clip(JSON.stringify(input), longestInput)],
    ["Reason", reason],
  ] as ReadonlyArray<readonly [string, string | undefined]>
  // What is found is taken out: a command may quote a directory too.
  let rest = message
  const isSaid = (value: string): boolean => {
    const before = rest
    rest = rest.replace(`\`${value}\``, () => "")
    // A backtick in it could end the quotation, and begin words of the agent's own.
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
