/**
 * A fake of Unity with uLoopMCP: JSON-RPC 2.0 in `Content-Length` frames.
 */

import * as Wire from "@zain/editor-link/fake/ContentLengthWire"
import { type CommonFault, commonFaults, Faults } from "@zain/editor-link/fake/EditorFault"
import * as FakeEditor from "@zain/editor-link/fake/FakeEditor"
import type { Exchange, FakeProtocol, NamedTool } from "@zain/editor-link/fake/FakeProtocol"
import { FakeScene } from "@zain/editor-link/fake/FakeScene"
import { isDeeper, jsonRpcAnswer, type Outcome, type Params } from "@zain/editor-link/fake/Params"
import { isRecord } from "@zain/process/JsonRpc"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { call } from "./LoopCalls.ts"
import { blockedTool, disabledTool, type LoopParameter, type LoopTool, loopTools } from "./LoopTools.ts"

/**
 * The faults that this protocol has beside those of every fake: errors in each of their forms, and a result that is `null`.
 */
const ownFaults = ["internal-error", "request-timeout", "cause-in-message", "security-blocked", "null-result"] as const

export type LoopFault = CommonFault | (typeof ownFaults)[number]
export const loopFaults: ReadonlyArray<LoopFault> = [...commonFaults, ...ownFaults]

/** How deep JSON may be that Unity reads, and the version of the package. */
const [maxDepth, version] = [64, "2.2.0"]

/** The methods that begin a connection; the second is asked again when the tools change. */
const greetings = ["set-client-name", "get-tool-details", "get-version"]

/** Starts it; it ends with the Scope. Fails where it cannot listen. */
export const start = (
  options: FakeEditor.FakeOptions<LoopFault> = {},
): Effect.Effect<FakeEditor.FakeEditor<LoopFault>, Error, Scope.Scope> => {
  const faults = new Faults()
  return FakeEditor.listen(protocolOf(faults, options.project ?? FakeEditor.usualProject), faults, options)
}

/** Every error has this code. */
const error = (message: string, data: Readonly<Record<string, unknown>>) => ({
  error: { code: -32603, message, data },
})
const internal = (message: string) => error("Internal error", { type: "internal_error", message })
/** Newer packages write the cause itself. */
const caused = (message: string) => error(message, { type: "internal_error", message: "" })
const blocked = (command: string) =>
  error("Tool blocked by security settings", {
    type: "security_blocked",
    message: `${command} is blocked`,
    command,
    reason: "The security settings do not allow it.",
  })

const unreadable = internal("The request could not be read.")

const protocolOf = (faults: Faults, project: string): FakeProtocol => {
  const scene = new FakeScene()
  scene.log("Log", "The fake editor has started.")
  let tools: ReadonlyArray<NamedTool> = loopTools
  const notification = (name: string, params: object) =>
    JSON.stringify({ jsonrpc: "2.0", method: `notifications/${name}`, params })
  const aside = () =>
    notification("tools/list_changed", { timestamp: new Date().toISOString(), message: "The tools have changed" })

  const outcomeOf = (method: string, params: unknown): Outcome => {
    if (!isRecord(params)) return caused("The params are no object")
    if (method === "set-client-name") {
      const ClientName = String(params["ClientName"] ?? "")
      return { result: { Message: `Connected: ${ClientName}`, ClientName } }
    }
    if (method === "get-tool-details") {
      const all = params["IncludeDevelopmentOnly"] === true
      return { result: { Tools: tools.filter((tool) => all || !isForDevelopment(tool)), Ver: version } }
    }
    if (method === disabledTool) return caused(`${method} is disabled`)
    const tool = tools.find(({ name }) => name === method)
    if (tool === undefined) return internal(`Unknown tool: ${method}`)
    if (method === blockedTool) return blocked(method)
    const wrong = wrongArgument(tool, params)
    if (wrong !== undefined) return caused(wrong)
    if (method === "get-version") {
      const opened = faults.take("wrong-project") ? FakeEditor.wrongProject : project
      const versions = { UnityVersion: "6000.0.23f1", Platform: "LinuxEditor" }
      return { result: { ...versions, DataPath: `${opened}/Assets`, Ver: version } }
    }
    const outcome = call(method, params, scene)
    if ("failed" in outcome) return internal(outcome.failed)
    return { result: isRecord(outcome.result) ? { ...outcome.result, Ver: version } : outcome.result }
  }

  return {
    ...Wire,
    noise: Buffer.from("a line of a log that belongs to no frame\n"),
    isShared: false,
    aside,
    farewell: (reason) =>
      notification("server/shutdown", { reason: reason === "reload" ? "DomainReload" : "EditorQuit" }),
    setTools: (now) => {
      tools = now
      return aside()
    },
    exchange: (request) => {
      if (!isRecord(request) || isDeeper(request, maxDepth)) return exchanged(null, "", unreadable)
      const { id = null, method, params = {} } = request
      const outcome = outcomeOf(typeof method === "string" ? method : "", params ?? {})
      return id === null ? undefined : exchanged(id, String(method), outcome)
    },
  }
}

const exchanged = (id: unknown, method: string, outcome: Outcome): Exchange => ({
  isGreeting: greetings.includes(method),
  answer: jsonRpcAnswer(id, outcome),
  succeed: (result) => jsonRpcAnswer(id, { result }),
  stranger: jsonRpcAnswer("ts_0_0_0_0000", { result: { Message: "of another call", Ver: version } }),
  unreadable: jsonRpcAnswer(null, unreadable),
  variants: {
    "internal-error": jsonRpcAnswer(id, internal("NullReferenceException: the fake editor failed")),
    "request-timeout": jsonRpcAnswer(
      id,
      error("Request timeout", { type: "internal_error", message: "It took too long" }),
    ),
    "cause-in-message": jsonRpcAnswer(id, caused("The value of MaxDepth is not a number")),
    "security-blocked": jsonRpcAnswer(id, blocked(method)),
    "null-result": jsonRpcAnswer(id, { result: null }),
  },
})

const isForDevelopment = (tool: NamedTool) => (tool as Partial<LoopTool>).displayDevelopmentOnly === true

/** What is wrong with the arguments, in the words of Unity's own check. Unknown ones are ignored. */
const wrongArgument = (tool: NamedTool, params: Params): string | undefined => {
  const properties = (tool as Partial<LoopTool>).parameterSchema?.Properties ?? {}
  for (const [name, value] of Object.entries(params)) {
    const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (parameter !== undefined && value !== null && !fits(value, parameter)) {
      return `Error converting value of '${name}' to type ${parameter.Type}`
    }
  }
  return undefined
}

const fits = (value: unknown, { Type, Enum, DefaultValue }: LoopParameter): boolean => {
  if (Enum !== null && Enum !== undefined) {
    return typeof value === "number" || Enum.some((name) => name.toLowerCase() === String(value).toLowerCase())
  }
  if (Type === "number") return typeof value === "number"
  if (Type === "boolean") return typeof value === "boolean"
  if (Type === "array") return Array.isArray(value)
  if (Type === "object") return isRecord(value)
  return typeof DefaultValue === "object" || typeof value === "string"
}
