/**
 * What Codex asks its client, and what it is answered.
 *
 * @see Codex 0.169 app-server, `ServerRequest`
 */
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import { recordOf, recordsOf, textOf, textsOf } from "../JsonMember.ts"
import { joined, unwrapped } from "./CodexText.ts"

type Params = Readonly<Record<string, unknown>>

/** The files of an item that began before. */
export type PathsOf = (itemId: string) => ReadonlyArray<string>

/** A question for whoever decides. `answer`: the result that Codex gets for the decision. */
export interface Question {
  readonly request: McpApprovalRequest
  readonly answer: (decision: McpApprovalDecision) => unknown
}

/** The question that a request is, if it is one. */
export const read = (method: string, params: Params, pathsOf: PathsOf): Question | undefined =>
  Object.hasOwn(readers, method) ? readers[method]?.(params, pathsOf) : undefined

/** The result of a request that is no question for anybody, and has an answer all the same. */
export const dismissed = (method: string): object | undefined => {
  if (method === "item/tool/requestUserInput") return { answers: {} }
  if (method === "mcpServer/elicitation/request") return { action: "decline", content: null, _meta: null }
  return undefined
}

/** The thread that a request is about. */
export const threadOf = (params: Params): string | undefined =>
  textOf(params, "threadId") ?? textOf(params, "conversationId")

const decided = ({ _tag }: McpApprovalDecision): object => ({
  decision: _tag === "Approve" ? "accept" : _tag === "ApproveForSession" ? "acceptForSession" : "decline",
})

/** As older versions of Codex take it. */
const reviewed = (decision: McpApprovalDecision): object => {
  if (decision._tag === "Decline") return { decision: { denied: { rejection: decision.reason } } }
  return { decision: decision._tag === "Approve" ? "approved" : "approved_for_session" }
}

/** Exactly what was asked for, or nothing. */
const granted =
  (permissions: Params) =>
  (decision: McpApprovalDecision): object => ({
    permissions:
      decision._tag === "Decline"
        ? {}
        : Object.fromEntries(Object.entries(permissions).filter(([, value]) => value !== null)),
    scope: decision._tag === "ApproveForSession" ? "session" : "turn",
  })

const command = (params: Params, line: string | undefined): McpApprovalRequest => {
  const cwd = textOf(params, "cwd")
  const { host } = recordOf(params, "networkApprovalContext")
  const where = cwd === undefined ? "" : ` in \`${cwd}\``
  const isInput = params["kind"] === "writeStdin"
  const what = line === undefined ? "this command" : `\`${line}\``
  return {
    kind: typeof host === "string" ? "permission" : "command",
    message:
      typeof host === "string"
        ? `Allow Codex to reach ${host}${line === undefined ? "" : ` for ${what}`}?`
        : `Allow Codex to ${isInput ? "write to" : "run"} ${what}${where}?`,
    ...(line === undefined ? {} : { command: line }),
    ...(cwd === undefined ? {} : { cwd }),
    ...reasonOf(params),
  }
}

const files = (params: Params, paths: ReadonlyArray<string>): McpApprovalRequest => {
  const root = textOf(params, "grantRoot")
  const what = paths.length === 0 ? "files" : paths.map((path) => `\`${path}\``).join(", ")
  return {
    kind: "file-change",
    message: `Allow Codex to change ${what}${root === undefined ? "" : `, and to write below \`${root}\``}?`,
    paths: root === undefined ? paths : [...paths, root],
    ...reasonOf(params),
  }
}

const permission = (params: Params): McpApprovalRequest => {
  const permissions = recordOf(params, "permissions")
  const cwd = textOf(params, "cwd")
  const fileSystem = recordOf(permissions, "fileSystem")
  const list = (verb: string, paths: ReadonlyArray<string>) =>
    paths.length === 0 ? [] : [`to ${verb} ${paths.map((path) => `\`${path}\``).join(", ")}`]
  const write = namedPaths(fileSystem, "write")
  const wishes = [
    ...(recordOf(permissions, "network")["enabled"] === true ? ["to use the network"] : []),
    ...list("read", namedPaths(fileSystem, "read")),
    ...list("write", write),
  ]
  return {
    kind: "permission",
    message: `Allow Codex ${wishes.length === 0 ? "more than it has" : wishes.join(" and ")}?`,
    ...(cwd === undefined ? {} : { cwd }),
    ...(write.length === 0 ? {} : { paths: write }),
    input: permissions,
    ...reasonOf(params),
  }
}

/** Paths are listed by what they are for, or as entries that say it. */
const namedPaths = (fileSystem: Params, access: "read" | "write"): ReadonlyArray<string> => {
  const entries = recordsOf(fileSystem, "entries").filter((entry) => entry["access"] === access)
  const said = entries.map((entry) => {
    const path = recordOf(entry, "path")
    return textOf(path, "path") ?? textOf(path, "pattern") ?? JSON.stringify(path["value"] ?? path)
  })
  return [...new Set([...textsOf(fileSystem, access), ...said])]
}

const reasonOf = (params: Params): { readonly reason?: string } => {
  const reason = textOf(params, "reason")
  return reason === undefined ? {} : { reason }
}

const commandLine = (params: Params): string | undefined => {
  const line = textOf(params, "command")
  return line === undefined ? undefined : unwrapped(line)
}

const readers: Readonly<Record<string, (params: Params, pathsOf: PathsOf) => Question>> = {
  "item/commandExecution/requestApproval": (params) => ({
    request: command(params, commandLine(params)),
    answer: decided,
  }),
  "item/fileChange/requestApproval": (params, pathsOf) => ({
    request: files(params, pathsOf(textOf(params, "itemId") ?? "")),
    answer: decided,
  }),
  "item/permissions/requestApproval": (params) => ({
    request: permission(params),
    answer: granted(recordOf(params, "permissions")),
  }),
  execCommandApproval: (params) => ({
    request: command(params, joined(textsOf(params, "command"))),
    answer: reviewed,
  }),
  applyPatchApproval: (params) => ({
    request: files(params, Object.keys(recordOf(params, "fileChanges"))),
    answer: reviewed,
  }),
}
