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
const stubbornProcess = `${ending}: ends every process of $what within closeGrace and one second`
const killedHost =
  "packages/sdk-client/test/HostEnds.test.ts: leaves no process and no file when it ends by %s (promises 11 and 12)"

type Rows<Id extends string> = Readonly<Record<Id, Requirement>>

/** A row of the first design's table. */
const seed = <Id extends string>(id: Id, behaviour: string, provider?: Requirement["provider"]) =>
  ({ [id]: { behaviour, source: `seed ${id}`, ...(provider === undefined ? {} : { provider }) } }) as Rows<Id>

/** Rows with one source. */
const from = <Id extends string>(source: string, behaviours: Readonly<Record<Id, string>>) =>
  Object.fromEntries(
    Object.entries<string>(behaviours).map(([id, behaviour]) => [id, { behaviour, source }]),
  ) as Rows<Id>

/** Every requirement by its id. */
export const requirements = {
  ...seed("1.1", "openSession starts a session."),
  ...seed("1.2", "execute asks an agent in a session."),
  ...seed("1.3", "closeSession ends a session."),
  ...seed("1.4", "openSession ends in a value or a typed error, never in a throw."),
  ...seed("1.5", "execute ends in a value or a typed error, never in a throw."),
  ...seed("1.6", "closeSession ends in a value or a typed error, never in a throw."),
  ...seed("2.1", "serverUrl and transport are enough to open a session.", codex),
  ...seed("2.2", "execute succeeds in a session that is open.", codex),
  ...seed("2.3", "A failed connection is ConnectionUnavailable.", codex),
  ...seed("2.4", "execute in a closed session is SessionClosed.", codex),
  ...seed("3.1", "serverUrl and transport are enough to open a session.", claudeCode),
  ...seed("3.2", "execute succeeds in a session that is open.", claudeCode),
  ...seed("3.3", "A failed connection is ConnectionUnavailable.", claudeCode),
  ...seed("3.4", "execute in a closed session is SessionClosed.", claudeCode),
  ...seed("4.1", "A response of Codex says provider codex.", codex),
  ...seed("4.2", "A response of Claude Code says provider claude-code.", claudeCode),
  ...seed("4.3", "A response carries the id of its session."),
  ...seed("4.4", "A response carries the agent's content."),
  ...seed("5.1", "A prompt of no characters is InvalidRequest."),
  ...seed("5.2", "A prompt of one character is valid.", codex),
  ...seed("5.3", "A prompt of one character is valid.", claudeCode),
  ...seed("5.4", "The id of a session that was never opened is SessionNotFound."),
  ...seed("6.1", "The whole suite holds for Codex.", codex),
  ...seed("6.2", "The whole suite holds for Claude Code.", claudeCode),
  ...from("design §4, McpConnectionConfig", {
    "port.config": "A malformed configuration is InvalidRequest invalid-config, and the message names the path.",
    "port.idle": "A turn that goes silent is stalled.",
  }),
  ...from("design §4, McpSessionId", {
    "port.session-id": "A session id is a random UUID, never used twice.",
  }),
  ...from("design §4, McpResponse", {
    "port.is-error":
      "A turn that failed on the agent's side is a response with isError; the session goes on, or says that it cannot.",
  }),
  ...from("design §4, McpError", {
    "port.errors":
      "An error is one of four, its reason from a closed list, its message for people, its delivery known.",
    "port.deadline": "A request's deadline ends it as deadline-exceeded.",
    "port.delivery": "delivery is not-sent only when the prompt never reached the agent.",
  }),
  ...from("design §4, McpConnectionConfig; decision 13", {
    "port.max-waiting": "No more executes wait for a session than its limit says; one more fails at once, not sent.",
  }),
  ...from("design §5, McpApproval", {
    "approval.asked":
      "What an agent asks before it acts reaches the host's policy, with a question for people and who asks.",
    "approval.approved": "What the policy approves, once or for the session, the agent does.",
    "approval.declined": "What the policy declines the agent does not do; its turn goes on.",
    "approval.default": "Without a policy everything is declined.",
    "approval.deadline": "A policy that does not answer in time has declined.",
    "approval.changes": "A request to change files says what is written, as a diff against the files as they are.",
    "approval.reason": "The reason of a decline reaches the agent's model.",
  }),
  ...from("design §5, McpApproval; docs/decisions/0015-approvals.md", {
    "approval.session":
      "What is approved for the session is asked each time: the host keeps it, and the agent gets single answers.",
  }),
  ...from("design §5, McpApproval; promises 7 and 23", {
    "approval.contained": "A policy that fails has declined, and harms nothing else.",
  }),
  ...from("design §5, McpEvents", {
    "approval.events": "An approval and its decision are told in order, before the turn's result.",
  }),
  ...from("design §4 rule 5 and §5, McpApproval", {
    "approval.cancelled":
      "A turn that waits for an approval ends like any other when it is cancelled, or its session closed.",
  }),
  ...from("design §5, McpEvents", {
    "event.tools": "Where an agent tells its tools, each is told when it starts and when it is done.",
    "event.usage": "Where an agent tells its tokens, they are told before the result, and stand in the response.",
  }),
  ...from("design §4, McpResponse; design §5, McpEvents", {
    "thread.started": "ThreadStarted names the conversation once, before the agent's first word.",
    "thread.resume":
      "From ThreadStarted on the conversation can be resumed, whatever becomes of the turn and the server.",
  }),
  ...from("design §4, McpError", {
    "thread.errors": "Every error of a session after ThreadStarted carries the threadId.",
    "thread.lost":
      "A thread that the agent does not have is SessionClosed conversation-lost, not sent, at openSession.",
  }),
  ...from("design §4 rule 1", {
    "rule-1.transition": "A session is opened, then closed, never back.",
    "rule-1.unknown": "An unknown id is SessionNotFound for every operation.",
    "rule-1.closed": "A closed id is SessionClosed for every operation, a second close too.",
    "rule-1.nothing-sent": "What is refused for the state of its session sends nothing to the agent.",
    "rule-1.request-first": "A request's validity is judged before its session's state.",
  }),
  ...from("design §4 rule 2", {
    "rule-2.handshake": "openSession succeeds only after the handshake is complete.",
    "rule-2.failed-open": "A failed open leaves nothing behind.",
  }),
  ...from("design §4 rule 3", {
    "rule-3.released": "closeSession returns with everything released.",
    "rule-3.always-closed": "closeSession ends in Closed whatever state its agent is in.",
  }),
  "rule-3.group": {
    behaviour: "An agent that ignores the polite end is killed with its whole process group, in closeGrace + 1 s.",
    source: "design §4 rule 3",
    provenElsewhere: stubbornProcess,
  },
  ...from("design §4 rule 4", {
    "thread.one-writer":
      "One server at a time goes on with a conversation; another one is refused; one client's sessions queue.",
    "rule-4.fifo": "One execute at a time in a session, in the order of the calls.",
    "rule-4.parallel": "Sessions are independent and run side by side.",
    "rule-4.closing": "execute in a session that closes or dies ends at once.",
  }),
  ...from("design §4 rule 5", {
    "rule-5.ends": "Every execute ends: by result, by error, by interruption.",
    "rule-5.cancel": "A cancelled execute is never reported as a timeout.",
    "rule-5.server-told": "Cancelling an execute tells the agent's server.",
    "rule-5.conversation-lost": "After a cancel the conversation goes on, or the session says conversation-lost.",
  }),
  ...from("design §4 rule 6", {
    "rule-6.continues": "The first execute starts a conversation, the next continue it.",
    "rule-6.once": "A prompt is never sent twice, whatever became of it.",
  }),
  ...from("design §4 rule 7", {
    "rule-7.order":
      "Every event of a turn is delivered before its result, in wire order: a reader that only reads has it when execute settles.",
  }),
  ...from("design §4 rule 8", {
    "rule-8.disposal": "The end of the client's Scope closes every session.",
  }),
  "rule-8.crash": {
    behaviour: "A host that exits or crashes leaves no child.",
    source: "design §4 rule 8",
    provenElsewhere: killedHost,
  },
} satisfies Readonly<Record<string, Requirement>>

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
