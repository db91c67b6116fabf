/**
 * What a check has found, in a form that people and programs can read.
 */

/** `problem`: something does not work. `warning`: it works, and may not do what its user expects. */
export const statuses = ["ok", "warning", "problem"] as const
export type Status = (typeof statuses)[number]

/** Every kind of finding, by a name that stays. docs/guides/doctor.md has a heading for each. */
export const kinds = [
  "platform",
  "agent-missing",
  "agent-found",
  "agent-version",
  "agent-passed-over",
  "agent-own-server",
  "agent-protocol",
  "agent-config",
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
 * - `cause`, `fix`: why it is so, and what to do, with the exact command or text
 */
export interface Finding {
  readonly kind: Kind
  readonly status: Status
  /** What it is about, such as an agent or a server. */
  readonly subject: string
  /** The fact, or the symptom. */
  readonly what: string
  readonly cause?: string
  readonly fix?: string
  /** How long the question took. */
  readonly millis?: number
}

/** The worst of them; `ok` where there are none. */
export const worst = (findings: ReadonlyArray<Finding>): Status =>
  findings.reduce<Status>(
    (worst, { status }) => (statuses.indexOf(status) > statuses.indexOf(worst) ? status : worst),
    "ok",
  )

/** Findings about one subject. */
export const about =
  (subject: string) =>
  (status: Status, kind: Kind, what: string, advice: Pick<Finding, "cause" | "fix" | "millis"> = {}): Finding => ({
    kind,
    status,
    subject,
    what,
    ...advice,
  })
