/**
 * Approvals that Codex requests, and the responses to them.
 *
 * @see Codex 0.171 app-server, `ServerRequest`
 */

import { isAbsolute } from "node:path"
import * as AgentQuestions from "@zain/agent-server/AgentQuestions"
import type { FileEdit } from "@zain/agent-server/FileChanges"
import { type JsonObject, optional, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import type * as Agent from "@zain/agent-server/ServedAgent"
import { pathsIn } from "@zain/agent-server/ToolPaths"
import { clip } from "@zain/command/Clip"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import * as CodexCommand from "../native/CodexCommand.ts"
import * as CodexChanges from "./CodexChanges.ts"
import { unwrapped } from "./CodexText.ts"

/** The edits of a running item. */
export type EditsOf = (threadId: string, itemId: string) => ReadonlyArray<FileEdit>

/** A request of Codex for an approval. */
export interface Question extends Agent.Question {
  /** The id by which Codex matches a response to a call. */
  readonly id?: string
  /** The response for a decision. */
  readonly answer: (decision: McpApprovalReply) => unknown
  /** The message that gives the model the reason of a decline, where the response has none. */
  readonly steer?: (reason: string) => Steer
}

/** A message to a running turn. */
export interface Steer {
  /** Parameters of `turn/steer`. */
  readonly params: JsonObject
  /** The declined item, if it is known. */
  readonly itemId?: string
}

/** Reads a request; `undefined` when it is not an approval. */
export const read = (method: string, params: JsonObject, editsOf: EditsOf): Question | undefined => {
  const question = Object.hasOwn(readers, method) ? readers[method]?.(params, editsOf) : undefined
  const id = idOf(params)
  if (question === undefined) return undefined
  // The decline of a form is for the MCP server, which has no reason.
  const isForm = method === "mcpServer/elicitation/request" && question.request.kind === "question"
  const steer = isForm ? undefined : steering(params, question.request)
  return { ...question, ...optional("id", id), ...optional("steer", steer) }
}

/** How much of the reason, and of the declined command, a steer contains, in characters. */
const [maxReasonLength, maxSubjectLength] = [4096, 200]

/** Requests of older versions name no turn, and their responses have a reason. */
const steering = (params: JsonObject, { command, kind, paths = [], tool }: McpApprovalRequest) => {
  const [threadId, expectedTurnId] = [textOf(params, "threadId"), textOf(params, "turnId")]
  if (threadId === undefined || expectedTurnId === undefined) return undefined
  const name = command ?? tool ?? (kind === "file-change" ? paths.join(", ") : "")
  const subject = name === "" ? "The request" : `\`${clip(name, maxSubjectLength)}\``
  return (reason: string): Steer => {
    const text = `${subject} was declined: ${clip(reason, maxReasonLength)}`
    const input = [{ type: "text", text, text_elements: [] }]
    return { params: { threadId, expectedTurnId, input }, ...optional("itemId", textOf(params, "itemId")) }
  }
}

/** Requests for a host may repeat an id, so they have none. */
const idOf = (params: JsonObject): string | undefined => {
  if (textOf(recordOf(params, "networkApprovalContext"), "host") !== undefined) return undefined
  const id = textOf(params, "approvalId") ?? textOf(params, "itemId") ?? textOf(params, "callId")
  return id === undefined ? undefined : `${threadOf(params)} ${id}`
}

/** The response to a request that cannot be asked, where Codex accepts one. */
export const dismissed = (method: string): object | undefined => {
  if (method === "item/tool/requestUserInput") return { answers: {} }
  if (method === "mcpServer/elicitation/request") return { action: "decline", content: null, _meta: null }
  return undefined
}

/** The thread of a request. */
export const threadOf = (params: JsonObject): string | undefined =>
  textOf(params, "threadId") ?? textOf(params, "conversationId")

/** Approves this request only, because Codex's own session approvals cover more than was requested. */
const decided = ({ _tag }: McpApprovalReply): object => ({ decision: _tag === "Decline" ? "decline" : "accept" })

/** The response for older versions of Codex. */
const reviewed = (decision: McpApprovalReply): object => ({
  decision: decision._tag === "Decline" ? { denied: { rejection: decision.reason } } : "approved",
})

/** Grants exactly the requested permissions, or none. */
const granted =
  (permissions: JsonObject) =>
  ({ _tag }: McpApprovalReply): object => ({
    permissions:
      _tag === "Decline" ? {} : Object.fromEntries(Object.entries(permissions).filter(([, value]) => value !== null)),
    scope: "turn",
  })

/**
 * A command with additional permissions is of kind `permission` and runs in a sandbox. Any other approved command may run in
 * none: Codex runs it without one, or runs it again without one when the sandbox blocked it. Its requests do not distinguish
 * these.
 */
const command = (params: JsonObject, line: string | undefined): McpApprovalRequest => {
  const cwd = textOf(params, "cwd")
  const { host } = recordOf(params, "networkApprovalContext")
  const more = recordOf(params, "additionalPermissions")
  const wishes = wishesOf(more)
  const isMore = Object.values(more).some((value) => value !== null)
  const where = cwd === undefined ? "" : ` in \`${cwd}\``
  const isInput = params["kind"] === "writeStdin"
  const isFree = typeof host !== "string" && !isMore
  const what = line === undefined ? "this command" : `\`${line}\``
  const also = isMore
    ? `, and ${wishes.length === 0 ? "to do more than its sandbox allows" : wishes.join(" and ")}`
    : ""
  return {
    kind: typeof host === "string" || isMore ? "permission" : "command",
    message:
      typeof host === "string"
        ? `Allow Codex to reach ${host}${line === undefined ? "" : ` for ${what}`}${also}?`
        : `Allow Codex to ${isInput ? "write to a command by" : "run"} ${what}${where}${isFree ? " without a sandbox" : ""}${also}?`,
    // The line is input of a running command, not a command.
    ...(line === undefined || isInput ? {} : { command: line }),
    ...optional("cwd", cwd),
    ...(isFree ? { sandbox: "none" } : optional("paths", filesOf(more))),
    ...(isMore ? { input: more } : {}),
    ...reasonOf(params),
  }
}

const files = (params: JsonObject, edits: ReadonlyArray<FileEdit>): Pick<Question, "edits" | "request"> => {
  const changed = CodexChanges.pathsOf(edits)
  const root = textOf(params, "grantRoot")
  const what = changed.length === 0 ? "files" : changed.map((path) => `\`${path}\``).join(", ")
  // Without the changed files, the root alone would pass for the only path.
  const paths = changed.length === 0 || root === undefined ? changed : [...changed, root]
  const request: McpApprovalRequest = {
    kind: "file-change",
    message: `Allow Codex to change ${what}${root === undefined ? "" : `, and to write below \`${root}\``}?`,
    ...(paths.length === 0 ? {} : { paths }),
    ...reasonOf(params),
  }
  // The directory of a relative path is unknown.
  return changed.every((path) => isAbsolute(path)) ? { request, edits } : { request }
}

const permission = (params: JsonObject): McpApprovalRequest => {
  const permissions = recordOf(params, "permissions")
  const wishes = wishesOf(permissions)
  return {
    kind: "permission",
    message: `Allow Codex ${wishes.length === 0 ? "more than its sandbox allows" : wishes.join(" and ")}?`,
    ...optional("cwd", textOf(params, "cwd")),
    ...optional("paths", filesOf(permissions)),
    input: permissions,
    ...reasonOf(params),
  }
}

/** Permissions, for people. */
const wishesOf = (permissions: JsonObject): ReadonlyArray<string> => {
  const list = (verb: "read" | "write") => {
    const paths = grants(recordOf(permissions, "fileSystem"), verb).map(({ shown }) => `\`${shown}\``)
    return paths.length === 0 ? [] : [`to ${verb} ${paths.join(", ")}`]
  }
  return [
    ...(recordOf(permissions, "network")["enabled"] === true ? ["to use the network"] : []),
    ...list("read"),
    ...list("write"),
  ]
}

/** The requested files; `undefined` when they are not named. */
const filesOf = ({ fileSystem, network: _, ...others }: JsonObject): ReadonlyArray<string> | undefined => {
  const files = recordOf({ fileSystem }, "fileSystem")
  const paths = [...grants(files, "read"), ...grants(files, "write")].map(({ path }) => path)
  const isSaid = Object.values(others).every((value) => value === null)
  return isSaid && paths.every((path) => path !== undefined) ? [...new Set(paths)] : undefined
}

const isWider = (permissions: JsonObject): boolean =>
  grants(recordOf(permissions, "fileSystem"), "write").some(({ path }) => path === undefined)

/** Paths are listed by access, or as entries with an access. A pattern or a named place is not a path. */
const grants = (
  fileSystem: JsonObject,
  access: "read" | "write",
): ReadonlyArray<{ readonly shown: string; readonly path?: string }> => {
  const listed = textsOf(fileSystem, access).map((path) => ({ shown: path, path }))
  const entries = recordsOf(fileSystem, "entries").filter((entry) => entry["access"] === access)
  const said = entries.map((entry) => {
    const place = recordOf(entry, "path")
    const path = textOf(place, "path")
    if (path !== undefined) return { shown: path, path }
    return { shown: textOf(place, "pattern") ?? JSON.stringify(place["value"] ?? place) }
  })
  const known = new Set(listed.map(({ shown }) => shown))
  return [...listed, ...said.filter(({ shown }) => !known.has(shown))]
}

/** Questions of the model. An answer without any is what Codex receives of questions that are declined. */
const asked = (params: JsonObject): Question | undefined => {
  const all = recordsOf(params, "questions")
  const request = AgentQuestions.make(
    "Codex",
    all.map((question) => ({
      id: textOf(question, "id"),
      header: textOf(question, "header"),
      text: textOf(question, "question") ?? "",
      options: AgentQuestions.optionsOf(question),
      isSecret: question["isSecret"] === true,
    })),
  )
  if (request === undefined) return undefined
  return {
    request,
    answer: (decision) => {
      const answers = AgentQuestions.answersTo(request, decision) ?? []
      const given = all.flatMap((question, at) =>
        answers[at]?.length ? [[textOf(question, "id") ?? "", { answers: answers[at] }] as const] : [],
      )
      return { answers: Object.fromEntries(given) }
    },
  }
}

/** A call of an MCP server's tool, or a form of such a server. */
const elicited = (params: JsonObject): Question | undefined => {
  const kind = recordOf(params, "_meta")["codex_approval_kind"]
  if (kind === "mcp_tool_call") return mcpTool(params)
  if (kind !== undefined || params["mode"] !== "form") return undefined
  const [server, message] = [textOf(params, "serverName") ?? "", textOf(params, "message") ?? ""]
  const form = AgentQuestions.form(server, message, recordOf(params, "requestedSchema"))
  if (form === undefined) return undefined
  return { request: form.request, answer: (decision) => ({ content: null, ...form.answer(decision), _meta: null }) }
}

const mcpTool = (params: JsonObject): Question => {
  const meta = recordOf(params, "_meta")
  const input = recordOf(meta, "tool_params")
  const paths = pathsIn(input)
  const tool = [textOf(params, "serverName"), textOf(meta, "tool_name")].filter((part) => part !== undefined).join(".")
  return {
    request: {
      kind: "tool",
      message: textOf(params, "message") ?? `Allow Codex to use ${tool}?`,
      tool,
      input,
      ...(paths.length === 0 ? {} : { paths }),
    },
    answer: ({ _tag }) =>
      _tag === "Decline"
        ? { action: "decline", content: null, _meta: null }
        : { action: "accept", content: {}, _meta: null },
  }
}

const reasonOf = (params: JsonObject) => optional("reason", textOf(params, "reason"))

const commandLine = (params: JsonObject): string | undefined => {
  const line = textOf(params, "command")
  return line === undefined ? undefined : unwrapped(line)
}

const readers: Readonly<Record<string, (params: JsonObject, editsOf: EditsOf) => Question | undefined>> = {
  "item/commandExecution/requestApproval": (params) => ({
    request: command(params, commandLine(params)),
    isWider: isWider(recordOf(params, "additionalPermissions")),
    answer: decided,
  }),
  "item/fileChange/requestApproval": (params, editsOf) => ({
    ...files(params, editsOf(threadOf(params) ?? "", textOf(params, "itemId") ?? "")),
    answer: decided,
  }),
  "item/permissions/requestApproval": (params) => ({
    request: permission(params),
    isWider: isWider(recordOf(params, "permissions")),
    answer: granted(recordOf(params, "permissions")),
  }),
  "item/tool/requestUserInput": asked,
  "mcpServer/elicitation/request": elicited,
  execCommandApproval: (params) => ({
    request: command(params, CodexCommand.inWords(params["command"])),
    answer: reviewed,
  }),
  applyPatchApproval: (params) => ({
    ...files(params, CodexChanges.ofRequest(recordOf(params, "fileChanges"))),
    answer: reviewed,
  }),
}
