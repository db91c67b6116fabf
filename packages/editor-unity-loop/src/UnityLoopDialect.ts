/**
 * The messages of uLoopMCP's server in Unity: JSON-RPC 2.0, methods in kebab case, parameters in Pascal case.
 *
 * @see docs/internals/editor-server-accepted.md, 000.6, 000.7 and 000.10
 */
import { dirname } from "node:path"
import type { Arguments } from "@zain/editor-link/domain/Catalogue"
import type {
  Dialect,
  EditorFailure,
  Hello,
  HelloOptions,
  Incoming,
  Notice,
} from "@zain/editor-link/domain/EditorProfile"
import { depthOf } from "@zain/editor-link/infrastructure/link/MessageDepth"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

export const listMethod = "get-tool-details"
export const listParams = ({ isDevelopment }: HelloOptions): Arguments => ({ IncludeDevelopmentOnly: isDevelopment })

/** Unity closes a connection on which 1 MiB has piled up, headers and what follows in the same read included. */
const maxFrameBytes = 1_044_480

/** How deep the arguments of a call may be. */
const maxDepth = 60

let count = 0

/** `ts_<ms>_<pid>_<0-999>_<0001-9999>` */
const nextId = (): string => {
  count = (count % 9_999) + 1
  return `ts_${Date.now()}_${process.pid}_${Math.floor(Math.random() * 1_000)}_${String(count).padStart(4, "0")}`
}

/** Messages that stand in place of a cause, which is then in `data`. */
const general = ["Internal error", "Request timeout", "Tool blocked by security settings"]

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const failureOf = (error: Readonly<Record<string, unknown>>): EditorFailure => {
  const data = isRecord(error["data"]) ? error["data"] : {}
  const given = text(error["message"]) ?? ""
  const cause = general.includes(given) ? (text(data["message"]) ?? given) : given || (text(data["message"]) ?? "")
  const { command, reason, type } = data
  if (type !== "security_blocked") {
    return { message: cause || "Unity reported a failure without a message.", reason: "editor", details: data }
  }
  const what = text(command) ?? "this tool"
  const why = text(reason) === undefined ? "" : ` (${text(reason)})`
  return {
    message: `${cause}: Unity's security settings block ${what}${why}. Allow it in Unity, in the Security Settings of uLoopMCP's window.`,
    reason: "security-blocked",
    details: data,
  }
}

const notices: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => Notice["kind"]>> = {
  "notifications/tools/list_changed": () => "tools-changed",
  "notifications/server/shutdown": ({ reason }) => (reason === "DomainReload" ? "reloading" : "quitting"),
}

const read = (message: unknown): Incoming => {
  if (!isRecord(message)) return { _tag: "Noise" }
  const { error, id, method, params, result } = message
  if (typeof method === "string") {
    const kind = notices[method]?.(isRecord(params) ? params : {})
    return kind === undefined ? { _tag: "Noise" } : { _tag: "Notice", kind }
  }
  const of = typeof id === "string" ? id : undefined
  // An error without an id belongs to the oldest call: Unity answers a connection in order.
  if (isRecord(error)) return { _tag: "Answer", id: of, outcome: Result.fail(failureOf(error)) }
  return of === undefined || !("result" in message)
    ? { _tag: "Noise" }
    : { _tag: "Answer", id: of, outcome: Result.succeed(result) }
}

export const dialect: Dialect = {
  nextId,
  request: (id, method, params) => ({ jsonrpc: "2.0", id, method, params }),
  read,
  refuse: (written, params) => {
    const bytes = Buffer.byteLength(written)
    const head = Buffer.byteLength(`Content-Length: ${bytes}\r\n\r\n`)
    if (bytes + head > maxFrameBytes)
      return `Unity takes messages of ${maxFrameBytes} bytes at most, and this one has ${bytes + head}.`
    return depthOf(params, maxDepth) > maxDepth ? `Unity takes arguments of ${maxDepth} levels at most.` : undefined
  },
  hello: Effect.fnUntraced(function* (ask, options) {
    yield* ask("set-client-name", { ClientName: options.clientName })
    const tools = yield* ask(listMethod, listParams(options))
    const hello: Hello = { tools: Result.isSuccess(tools) ? tools.success : undefined }
    if (!options.wantsProject) return hello
    const version = yield* ask("get-version", {})
    const data = Result.isSuccess(version) && isRecord(version.success) ? text(version.success["DataPath"]) : undefined
    return data === undefined ? hello : { ...hello, project: dirname(data) }
  }),
}
