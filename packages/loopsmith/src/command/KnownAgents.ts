/**
 * The agents that there are.
 */
import { programs } from "@zain/tool-server/AgentProgram"
import * as Effect from "effect/Effect"
import type { Agents } from "./Agent.ts"

export const agents: Agents = [
  {
    name: "codex",
    ...programs.codex,
    answerOnly: (options) =>
      Effect.flatMap(
        Effect.promise(() => import("@zain/codex-client/CodexAnswerOnly")),
        ({ open }) => open(options),
      ),
  },
  {
    name: "claude-code",
    ...programs["claude-code"],
    answerOnly: (options) =>
      Effect.flatMap(
        Effect.promise(() => import("@zain/claude-code-client/ClaudeCodeAnswerOnly")),
        ({ open }) => open(options),
      ),
  },
]
