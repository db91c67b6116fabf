/**
 * A fake of Unity with uLoopMCP: JSON-RPC 2.0 in `Content-Length` frames.
 */
import { isRecord } from "@zain/process/JsonRpc"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Wire from "./ContentLengthWire.ts"
import * as FakeEditor from "./FakeEditor.ts"
import type { Exchange, FakeProtocol, NamedTool } from "./FakeProtocol.ts"
import { FakeScene } from "./FakeScene.ts"
import { type CommonFault, commonFaults, Faults } from "./Fault.ts"
import { isDeeper } from "./JsonDepth.ts"
import { call } from "./LoopCalls.ts"
import { blockedTool, disabledTool, type LoopParameter, type LoopTool, loopTools } from "./LoopTools.ts"
import type { Params } from "./Params.ts"

/**
 * The faults that this protocol has beside those of every fake: errors in each of their forms, and a result that is `null`.
 */
const ownFaults = ["internal-error", "request-timeout", "cause-in-message", "security-blocked", "null-result"] as const

export type LoopFault = CommonFault | (typeof ownFaults)[number]
export const loopFaults: ReadonlyArray<LoopFault> = [...commonFaults, ...ownFaults]

/** How deep JSON may be that Unity reads, and the version of the package. */
const [mostDepth, version] = [64, "2.2.0"]

/** The methods that begin a connection; the second is asked again when the tools change. */
const greetings = ["set-client-name", "get-tool-details", "get-version"]

/** Starts it; it ends with the Scope. Fails where it cannot listen. */
export const start = (
  options: FakeEditor.FakeOptions<LoopFault> = {},
): Effect.Effect<FakeEditor.FakeEditor<LoopFault>, Error, Scope.Scope> => {
  const faults = new Faults()
  return FakeEditor.listen(new LoopProtocol(faults, options.project ?? FakeEditor.usualProject), faults, options)
}

type Outcome = { readonly result: unknown } | { readonly error: unknown }

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

const textOf = (id: unknown, outcome: Outcome) => JSON.stringify({ jsonrpc: "2.0", id, ...outcome })

class LoopProtocol implements FakeProtocol {
  readonly readSize = Wire.readSize
  readonly read = Wire.read
  readonly frame = Wire.frame
  readonly withLength = Wire.withLength
  readonly noise = Buffer.from("a line of a log that belongs to no frame\n")
  readonly isShared = false
  private readonly scene = new FakeScene()
  private tools: ReadonlyArray<NamedTool> = loopTools
  private readonly faults: Faults
  private readonly project: string

  constructor(faults: Faults, project: string) {
    this.faults = faults
    this.project = project
    this.scene.log("Log", "The fake editor has started.")
  }

  readonly beside = () => undefined
  readonly aside = () => {
    const params = { timestamp: new Date().toISOString(), message: "The tools have changed" }
    return JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params })
  }
  readonly farewell = (reason: "reload" | "quit") => {
    const params = { reason: reason === "reload" ? "DomainReload" : "EditorQuit" }
    return JSON.stringify({ jsonrpc: "2.0", method: "notifications/server/shutdown", params })
  }
  readonly setTools = (tools: ReadonlyArray<NamedTool>) => {
    this.tools = tools
    return this.aside()
  }

  readonly exchange = (request: unknown): Exchange | undefined => {
    if (!isRecord(request) || isDeeper(request, mostDepth))
      return this.exchanged(null, "", internal("The request could not be read."))
    const { id = null, method, params = {} } = request
    const outcome = this.outcomeOf(typeof method === "string" ? method : "", params ?? {})
    return id === null ? undefined : this.exchanged(id, String(method), outcome)
  }

  private exchanged(id: unknown, method: string, outcome: Outcome): Exchange {
    return {
      isGreeting: greetings.includes(method),
      answer: textOf(id, outcome),
      succeed: (result) => textOf(id, { result }),
      stranger: textOf("ts_0_0_0_0000", { result: { Message: "of another call", Ver: version } }),
      unreadable: textOf(null, internal("The request could not be read.")),
      variants: {
        "internal-error": textOf(id, internal("NullReferenceException: the fake editor failed")),
        "request-timeout": textOf(
          id,
          error("Request timeout", { type: "internal_error", message: "It took too long" }),
        ),
        "cause-in-message": textOf(id, caused("The value of MaxDepth is not a number")),
        "security-blocked": textOf(id, blocked(method)),
        "null-result": textOf(id, { result: null }),
      },
    }
  }

  private outcomeOf(method: string, params: unknown): Outcome {
    if (!isRecord(params)) return caused("The params are no object")
    if (method === "set-client-name") {
      const ClientName = String(params["ClientName"] ?? "")
      return { result: { Message: `Connected: ${ClientName}`, ClientName } }
    }
    if (method === "get-tool-details") {
      const all = params["IncludeDevelopmentOnly"] === true
      return { result: { Tools: this.tools.filter((tool) => all || !isForDevelopment(tool)), Ver: version } }
    }
    if (method === disabledTool) return caused(`${method} is disabled`)
    const tool = this.tools.find(({ name }) => name === method)
    if (tool === undefined) return internal(`Unknown tool: ${method}`)
    if (method === blockedTool) return blocked(method)
    const wrong = wrongArgument(tool, params)
    if (wrong !== undefined) return caused(wrong)
    if (method === "get-version") return { result: this.versions() }
    const outcome = call(method, params, this.scene)
    if ("failed" in outcome) return internal(outcome.failed)
    return { result: isRecord(outcome.result) ? { ...outcome.result, Ver: version } : outcome.result }
  }

  private versions() {
    const project = this.faults.take("wrong-project") ? FakeEditor.wrongProject : this.project
    return { UnityVersion: "6000.0.23f1", Platform: "LinuxEditor", DataPath: `${project}/Assets`, Ver: version }
  }
}

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
