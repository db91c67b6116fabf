/** A wire to a Claude Code that the tests play, hooks included. */
import { execFileSync } from "node:child_process"
import type { McpError } from "@zain/core/McpError"
import type { StdioTarget } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import * as AgentWire from "../../sdk-client/testing/AgentWire.ts"

/** A tool call of the client. `progress`: sends the progress that Claude Code sends every 30 seconds. */
export interface HeldCall extends AgentWire.HeldCall {
  readonly progress: () => void
}

const withProgress = (call: AgentWire.HeldCall): HeldCall => ({
  ...call,
  progress: () => call.notify("notifications/progress", { progressToken: call._meta?.["progressToken"], progress: 30 }),
})

/** The value of `--settings`. */
export interface Settings {
  readonly disableAllHooks: boolean
  readonly hooks: Readonly<
    Record<string, ReadonlyArray<{ readonly hooks: ReadonlyArray<{ readonly command: string }> }>>
  >
}

export const settingsOf = ({ args }: StdioTarget): Settings =>
  JSON.parse(args[args.indexOf("--settings") + 1] ?? "null")

/** Runs a hook as Claude Code does: in a shell, with the payload on its input, in Claude Code's environment. */
const runHook = (target: StdioTarget, event: string, payload: object) => {
  for (const { hooks } of settingsOf(target).hooks[event] ?? []) {
    for (const { command } of hooks) {
      const input = JSON.stringify({ session_id: "s", hook_event_name: event, ...payload })
      execFileSync("/bin/sh", ["-c", command], { input, env: target.env })
    }
  }
}

/**
 * @param refuse fails instead of the connection
 * @param name the server's name
 */
export const make = (refuse?: McpError, name = "claude/tengu") =>
  Effect.map(AgentWire.make(name, refuse), (wire) => {
    const target = () => wire.targets.at(-1) as StdioTarget
    return {
      ...wire,
      next: Effect.map(wire.next, withProgress),
      target,
      directory: () => target().env["ZAIN_HOOKS"] as string,
      /** The hooks at the start and the end of an agent's turn. */
      started: (agentId: string) => runHook(target(), "SubagentStart", { agent_id: agentId }),
      stopped: (agentId: string, text: string) =>
        runHook(target(), "SubagentStop", { agent_id: agentId, last_assistant_message: text }),
    }
  })

export const text = (content: string) => ({ content: [{ type: "text", text: content }] })

/** A result of `Agent`. */
export const report = (agentId: string, said: ReadonlyArray<string>, more: object = {}) =>
  text(
    JSON.stringify({
      status: "completed",
      agentId,
      harnessNoteCount: 0,
      content: said.map((part) => ({ type: "text", text: part })),
      usage: { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 0, server_tool_use: {} },
      ...more,
    }),
  )

/** The result of `SendMessage` after the turn. */
export const resumed = text(
  JSON.stringify({ success: true, message: "Resumed agent. Its final report is not in this message.", pin: {} }),
)

/** The result of `SendMessage` without a turn. */
export const unable = (message: string) => text(JSON.stringify({ success: false, message }))
