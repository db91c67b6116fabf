/** A wire of the tests' own: the test is the Claude Code at its other end, hooks included. */
import { execFileSync } from "node:child_process"
import type { McpError } from "@zain/core/McpError"
import type { StdioTarget } from "@zain/sdk-client/McpWire"
import * as Effect from "effect/Effect"
import * as AgentWire from "../../sdk-client/test/AgentWire.ts"

/** A tool call that the client has sent. `progress`: the sign of life that Claude Code gives every 30 seconds. */
export interface HeldCall extends AgentWire.HeldCall {
  readonly progress: () => void
}

const withProgress = (call: AgentWire.HeldCall): HeldCall => ({
  ...call,
  progress: () => call.notify("notifications/progress", { progressToken: call._meta?.["progressToken"], progress: 30 }),
})

/** What `--settings` holds. */
export interface Settings {
  readonly disableAllHooks: boolean
  readonly hooks: Readonly<
    Record<string, ReadonlyArray<{ readonly hooks: ReadonlyArray<{ readonly command: string }> }>>
  >
}

export const settingsOf = ({ args }: StdioTarget): Settings =>
  JSON.parse(args[args.indexOf("--settings") + 1] ?? "null")

/** Runs a hook as Claude Code does: by the shell, the payload on its input, in Claude Code's own environment. */
const runHook = (target: StdioTarget, event: string, payload: object) => {
  for (const { hooks } of settingsOf(target).hooks[event] ?? []) {
    for (const { command } of hooks) {
      const input = JSON.stringify({ session_id: "s", hook_event_name: event, ...payload })
      execFileSync("/bin/sh", ["-c", command], { input, env: target.env })
    }
  }
}

/**
 * @param refuse fails in place of the connection
 * @param name what the server calls itself
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

/** What `Agent` answers. */
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

/** What `SendMessage` answers when the turn is over. */
export const resumed = text(
  JSON.stringify({ success: true, message: "Resumed agent. Its final report is not in this message.", pin: {} }),
)

/** What `SendMessage` answers when there was none. */
export const unable = (message: string) => text(JSON.stringify({ success: false, message }))
