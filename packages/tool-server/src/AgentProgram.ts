/**
 * The agents' own programs: what they are called, and how people get them.
 */

/** The agents that our commands know. */
export const names = ["codex", "claude-code"] as const
export type AgentName = (typeof names)[number]

/**
 * - `title`: what people call it
 * - `program`: what it is called on PATH
 * - `install`: how people get it
 * - `logIn`: the command that logs in
 */
export interface AgentProgram {
  readonly title: string
  readonly program: string
  readonly install: string
  readonly logIn: string
}

export const programs: Readonly<Record<AgentName, AgentProgram>> = {
  codex: {
    title: "Codex",
    program: "codex",
    install: "npm install --global @openai/codex",
    logIn: "codex login",
  },
  "claude-code": {
    title: "Claude Code",
    program: "claude",
    install: "npm install --global @anthropic-ai/claude-code",
    logIn: "claude auth login",
  },
}
