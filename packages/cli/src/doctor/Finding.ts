/**
 * A finding of a check, for people and programs.
 */

/** `problem`: something does not work. `warning`: it works, but may surprise its user. */
export const statuses = ["ok", "warning", "problem"] as const
export type Status = (typeof statuses)[number]

/** The stable names of findings. docs/guides/doctor.md has a heading for each. */
export const kinds = [
  "platform",
  "agent-missing",
  "agent-found",
  "agent-version",
  "agent-passed-over",
  "agent-own-server",
  "agent-protocol",
  "agent-config",
  "agent-start",
  "agent-key",
  "agent-login",
  "agent-trusts",
  "handshake",
  "wrong-framing",
  "banner",
  "tools",
  "tools-undeclared",
  "tools-none",
  "tools-many",
  "tool-schema",
  "tool-name",
  "list-incomplete",
  "list-changed-unsaid",
  "declared-not-served",
  "declared-empty",
  "handler-without-capability",
  "entry-invalid",
  "entry-ignored",
  "entry-disabled",
  "entry-variable-unset",
  "entry-not-checked",
] as const
export type Kind = (typeof kinds)[number]

/**
 * A finding. `fix` has the exact command or text.
 */
export interface Finding {
  readonly kind: Kind
  readonly status: Status
  /** The agent, server or platform. */
  readonly subject: string
  /** The fact, or the symptom. */
  readonly what: string
  readonly cause?: string
  readonly fix?: string
  /** The time of the check, in ms. */
  readonly millis?: number
}

/** The worst status; `ok` without findings. */
export const worst = (findings: ReadonlyArray<Finding>): Status =>
  findings.reduce<Status>(
    (worst, { status }) => (statuses.indexOf(status) > statuses.indexOf(worst) ? status : worst),
    "ok",
  )

/** Makes findings about one subject. */
export const about =
  (subject: string) =>
  (status: Status, kind: Kind, what: string, advice: Pick<Finding, "cause" | "fix" | "millis"> = {}): Finding => ({
    kind,
    status,
    subject,
    what,
    ...advice,
  })
