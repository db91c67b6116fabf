/**
 * What the providers of the agents' models say of the limits of an account.
 */
import { ScriptedTurn } from "@zain/scripted-model"
import type { AgentName } from "./Wishes.ts"

/** Claude Code reads limits only with a login of claude.ai. */
export const claudeLogin = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-dummy" }

/**
 * The headers of an answer.
 *
 * @param used in percent
 * @param resetsAt in seconds since 1970
 */
export const headers = (agent: AgentName, used: number, resetsAt: number): Readonly<Record<string, string>> =>
  agent === "codex"
    ? {
        "x-codex-primary-used-percent": String(used),
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": String(resetsAt),
      }
    : {
        "anthropic-ratelimit-unified-status": used < 100 ? "allowed" : "rejected",
        "anthropic-ratelimit-unified-reset": String(resetsAt),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-utilization": String(used / 100),
        "anthropic-ratelimit-unified-5h-reset": String(resetsAt),
      }

/** The answer to a request when the limit is used up. */
export const rejection = (agent: AgentName, resetsAt: number): ScriptedTurn.ScriptedTurn =>
  ScriptedTurn.httpError(429, {
    ...(agent === "codex" ? { type: "usage_limit_reached" } : {}),
    message: "The limit is used up.",
    headers: headers(agent, 100, resetsAt),
  })
