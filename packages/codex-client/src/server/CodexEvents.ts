/**
 * Converts notifications of Codex that are no items to events.
 *
 * @see Codex 0.171 app-server, `ServerNotification`
 */
import * as AccountLimits from "@zain/agent-server/AccountLimits"
import * as HandedServers from "@zain/agent-server/HandedServers"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import * as PlanSteps from "@zain/agent-server/PlanSteps"
import { maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"

type Events = ReadonlyArray<McpEventContent>

const plan = (params: JsonObject): Events => {
  const steps = recordsOf(params, "plan")
    .slice(0, PlanSteps.maxSteps)
    .map((step) => PlanSteps.make(textOf(step, "step") ?? "", PlanSteps.stateOf(step["status"])))
  return [{ _tag: "Plan", steps }]
}

const output = (params: JsonObject): Events => {
  const [toolId, text] = [textOf(params, "itemId"), textOf(params, "delta")]
  if (toolId === undefined || text === undefined) return []
  return [{ _tag: "CommandOutput", toolId, text: text.slice(-maxOutputLength).toWellFormed() }]
}

const rerouted = (params: JsonObject): Events =>
  AccountLimits.modelChanged(
    textOf(params, "fromModel"),
    textOf(params, "toModel"),
    textOf(params, "reason") ?? "its provider chose it",
  )

/** The limits that the notification about the account has. */
export const limitsOf = (params: JsonObject): ReadonlyArray<AccountLimits.AccountLimit> =>
  ["primary", "secondary"].map((window) => {
    const { resetsAt, usedPercent: used } = recordOf(recordOf(params, "rateLimits"), window)
    return { window, used, resetsAt }
  })

/** The notification about an MCP server, which may precede the first turn of its thread. */
export const startup = "mcpServer/startupStatus/updated"

const server = (params: JsonObject): Events => {
  const name = textOf(params, "name")
  if (params["status"] !== "failed" || name === undefined) return []
  return [HandedServers.failed(undefined, name, textOf(params, "error") ?? "Codex gave no reason.")]
}

/** The notification about the account, which names no thread. */
export const rateLimits = "account/rateLimits/updated"

/** The events of notifications, by their methods. A notification without one of them is emitted as it is. */
export const byMethod: ReadonlyMap<string, (params: JsonObject) => Events> = new Map([
  ["turn/plan/updated", plan],
  ["item/commandExecution/outputDelta", output],
  ["model/rerouted", rerouted],
  [startup, server],
])
