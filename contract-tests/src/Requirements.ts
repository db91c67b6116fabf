/**
 * What every client promises, as data. A case of the suite cites what it proves.
 */

/**
 * - `behaviour`: the promise, in one sentence
 * - `source`: the row or rule that asks for it
 * - `provider`: the only provider that the row speaks of; every other is held to the same behaviour all the same
 * - `provenElsewhere`: the file and the title of the test that proves it, when no case of this suite can
 */
export interface Requirement {
  readonly behaviour: string
  readonly source: string
  readonly provider?: "codex" | "claude-code"
  readonly provenElsewhere?: string
}

const codex = "codex"
const claudeCode = "claude-code"
const ending = "packages/sdk-client/test/Ending.test.ts"
const stubbornProcess = `${ending}: leaves nothing of $what, within closeGrace and a second`
const killedHost = `${ending}: $how of the host ends $faults`

/** Every requirement by its id. */
export const requirements = {
  "1.1": { behaviour: "openSession starts a session.", source: "seed 1.1" },
  "1.2": { behaviour: "execute asks an agent in a session.", source: "seed 1.2" },
  "1.3": { behaviour: "closeSession ends a session.", source: "seed 1.3" },
  "1.4": { behaviour: "openSession ends in a value or a typed error, never in a throw.", source: "seed 1.4" },
  "1.5": { behaviour: "execute ends in a value or a typed error, never in a throw.", source: "seed 1.5" },
  "1.6": { behaviour: "closeSession ends in a value or a typed error, never in a throw.", source: "seed 1.6" },
  "2.1": { behaviour: "serverUrl and transport are enough to open a session.", source: "seed 2.1", provider: codex },
  "2.2": { behaviour: "execute succeeds in a session that is open.", source: "seed 2.2", provider: codex },
  "2.3": { behaviour: "A failed connection is ConnectionUnavailable.", source: "seed 2.3", provider: codex },
  "2.4": { behaviour: "execute in a closed session is SessionClosed.", source: "seed 2.4", provider: codex },
  "3.1": {
    behaviour: "serverUrl and transport are enough to open a session.",
    source: "seed 3.1",
    provider: claudeCode,
  },
  "3.2": { behaviour: "execute succeeds in a session that is open.", source: "seed 3.2", provider: claudeCode },
  "3.3": { behaviour: "A failed connection is ConnectionUnavailable.", source: "seed 3.3", provider: claudeCode },
  "3.4": { behaviour: "execute in a closed session is SessionClosed.", source: "seed 3.4", provider: claudeCode },
  "4.1": { behaviour: "A response of Codex says provider codex.", source: "seed 4.1", provider: codex },
  "4.2": {
    behaviour: "A response of Claude Code says provider claude-code.",
    source: "seed 4.2",
    provider: claudeCode,
  },
  "4.3": { behaviour: "A response carries the id of its session.", source: "seed 4.3" },
  "4.4": { behaviour: "A response carries the agent's content.", source: "seed 4.4" },
  "5.1": { behaviour: "A prompt of no characters is InvalidRequest.", source: "seed 5.1" },
  "5.2": { behaviour: "A prompt of one character is valid.", source: "seed 5.2", provider: codex },
  "5.3": { behaviour: "A prompt of one character is valid.", source: "seed 5.3", provider: claudeCode },
  "5.4": { behaviour: "The id of a session that was never opened is SessionNotFound.", source: "seed 5.4" },
  "6.1": { behaviour: "The whole suite holds for Codex.", source: "seed 6.1", provider: codex },
  "6.2": { behaviour: "The whole suite holds for Claude Code.", source: "seed 6.2", provider: claudeCode },

  "port.config": {
    behaviour: "A malformed configuration is InvalidRequest invalid-config, and the message names the path.",
    source: "design §4, McpConnectionConfig",
  },
  "port.session-id": {
    behaviour: "A session id is a random UUID, never used twice.",
    source: "design §4, McpSessionId",
  },
  "port.is-error": {
    behaviour:
      "A turn that failed on the agent's side is a response with isError; the session goes on, or says that it cannot.",
    source: "design §4, McpResponse",
  },
  "port.errors": {
    behaviour: "An error is one of four, its reason from a closed list, its message for people, its delivery known.",
    source: "design §4, McpError",
  },
  "port.deadline": { behaviour: "A request's deadline ends it as deadline-exceeded.", source: "design §4, McpError" },
  "port.max-waiting": {
    behaviour: "No more executes wait for a session than its limit says; one more fails at once, not sent.",
    source: "design §4, McpConnectionConfig; decision 13",
  },
  "port.idle": { behaviour: "A turn that goes silent is stalled.", source: "design §4, McpConnectionConfig" },
  "port.delivery": {
    behaviour: "delivery is not-sent only when the prompt never reached the agent.",
    source: "design §4, McpError",
  },

  "approval.asked": {
    behaviour: "What an agent asks before it acts reaches the host's policy, with a question for people and who asks.",
    source: "design §5, McpApproval",
  },
  "approval.approved": {
    behaviour: "What the policy approves, once or for the session, the agent does.",
    source: "design §5, McpApproval",
  },
  "approval.session": {
    behaviour:
      "What is approved for the session is asked each time: the host keeps it, and the agent gets single answers.",
    source: "design §5, McpApproval; docs/decisions/0015-approvals.md",
  },
  "approval.declined": {
    behaviour: "What the policy declines the agent does not do; its turn goes on.",
    source: "design §5, McpApproval",
  },
  "approval.default": { behaviour: "Without a policy everything is declined.", source: "design §5, McpApproval" },
  "approval.deadline": {
    behaviour: "A policy that does not answer in time has declined.",
    source: "design §5, McpApproval",
  },
  "approval.contained": {
    behaviour: "A policy that fails has declined, and harms nothing else.",
    source: "design §5, McpApproval; promises 7 and 23",
  },
  "approval.events": {
    behaviour: "An approval and its decision are told in order, before the turn's result.",
    source: "design §5, McpEvents",
  },
  "approval.cancelled": {
    behaviour: "A turn that waits for an approval ends like any other when it is cancelled, or its session closed.",
    source: "design §4 rule 5 and §5, McpApproval",
  },
  "approval.changes": {
    behaviour: "A request to change files says what is written, as a diff against the files as they are.",
    source: "design §5, McpApproval",
  },
  "approval.reason": {
    behaviour: "The reason of a decline reaches the agent's model.",
    source: "design §5, McpApproval",
  },
  "event.tools": {
    behaviour: "Where an agent tells its tools, each is told when it starts and when it is done.",
    source: "design §5, McpEvents",
  },
  "event.usage": {
    behaviour: "Where an agent tells its tokens, they are told before the result, and stand in the response.",
    source: "design §5, McpEvents",
  },

  "thread.started": {
    behaviour: "ThreadStarted names the conversation once, before the agent's first word.",
    source: "design §4, McpResponse; design §5, McpEvents",
  },
  "thread.resume": {
    behaviour: "From ThreadStarted on the conversation can be resumed, whatever becomes of the turn and the server.",
    source: "design §4, McpResponse; design §5, McpEvents",
  },
  "thread.errors": {
    behaviour: "Every error of a session after ThreadStarted carries the threadId.",
    source: "design §4, McpError",
  },
  "thread.lost": {
    behaviour: "A thread that the agent does not have is SessionClosed conversation-lost, not sent, at openSession.",
    source: "design §4, McpError",
  },
  "thread.one-writer": {
    behaviour: "One server at a time goes on with a conversation; another one is refused; one client's sessions queue.",
    source: "design §4 rule 4",
  },

  "rule-1.transition": { behaviour: "A session is opened, then closed, never back.", source: "design §4 rule 1" },
  "rule-1.unknown": { behaviour: "An unknown id is SessionNotFound for every operation.", source: "design §4 rule 1" },
  "rule-1.closed": {
    behaviour: "A closed id is SessionClosed for every operation, a second close too.",
    source: "design §4 rule 1",
  },
  "rule-1.nothing-sent": {
    behaviour: "What is refused for the state of its session sends nothing to the agent.",
    source: "design §4 rule 1",
  },
  "rule-1.request-first": {
    behaviour: "A request's validity is judged before its session's state.",
    source: "design §4 rule 1",
  },
  "rule-2.handshake": {
    behaviour: "openSession succeeds only after the handshake is complete.",
    source: "design §4 rule 2",
  },
  "rule-2.failed-open": { behaviour: "A failed open leaves nothing behind.", source: "design §4 rule 2" },
  "rule-3.released": { behaviour: "closeSession returns with everything released.", source: "design §4 rule 3" },
  "rule-3.always-closed": {
    behaviour: "closeSession ends in Closed whatever state its agent is in.",
    source: "design §4 rule 3",
  },
  "rule-3.group": {
    behaviour: "An agent that ignores the polite end is killed with its whole process group, in closeGrace + 1 s.",
    source: "design §4 rule 3",
    provenElsewhere: stubbornProcess,
  },
  "rule-4.fifo": {
    behaviour: "One execute at a time in a session, in the order of the calls.",
    source: "design §4 rule 4",
  },
  "rule-4.parallel": { behaviour: "Sessions are independent and run side by side.", source: "design §4 rule 4" },
  "rule-4.closing": {
    behaviour: "execute in a session that closes or dies ends at once.",
    source: "design §4 rule 4",
  },
  "rule-5.ends": { behaviour: "Every execute ends: by result, by error, by interruption.", source: "design §4 rule 5" },
  "rule-5.cancel": { behaviour: "A cancelled execute is never reported as a timeout.", source: "design §4 rule 5" },
  "rule-5.server-told": { behaviour: "Cancelling an execute tells the agent's server.", source: "design §4 rule 5" },
  "rule-5.conversation-lost": {
    behaviour: "After a cancel the conversation goes on, or the session says conversation-lost.",
    source: "design §4 rule 5",
  },
  "rule-6.continues": {
    behaviour: "The first execute starts a conversation, the next continue it.",
    source: "design §4 rule 6",
  },
  "rule-6.once": { behaviour: "A prompt is never sent twice, whatever became of it.", source: "design §4 rule 6" },
  "rule-7.order": {
    behaviour:
      "Every event of a turn is delivered before its result, in wire order: a reader that only reads has it when execute settles.",
    source: "design §4 rule 7",
  },
  "rule-8.disposal": { behaviour: "The end of the client's Scope closes every session.", source: "design §4 rule 8" },
  "rule-8.crash": {
    behaviour: "A host that exits or crashes leaves no child.",
    source: "design §4 rule 8",
    provenElsewhere: killedHost,
  },
} as const satisfies Readonly<Record<string, Requirement>>

/** The name of a requirement. */
export type RequirementId = keyof typeof requirements

/** Every id, in the order of the table. */
export const ids = Object.keys(requirements) as ReadonlyArray<RequirementId>

/** The requirement of an id. */
export const get = (id: RequirementId): Requirement => requirements[id]

/**
 * The requirements that one provider's run can prove.
 *
 * @param provider the provider's name; a third party's is held to every row that speaks of no provider
 */
export const of = (provider: string): ReadonlyArray<RequirementId> =>
  ids.filter((id) => {
    const requirement = get(id)
    return (
      requirement.provenElsewhere === undefined &&
      (requirement.provider === undefined || requirement.provider === provider)
    )
  })
