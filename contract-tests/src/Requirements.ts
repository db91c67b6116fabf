/**
 * The requirements of every client, as data. Each case of the suite names those that it proves.
 */

/** A behaviour that every adapter must have, where it is demanded, and where it is proven. */
export interface Requirement {
  /** What a client does, as one sentence with MUST. */
  readonly behaviour: string
  /**
   * Where it is demanded: `seed 1.1` (a row of the table in Zain's first design), `promise 7` (a heading of
   * `docs/internals/promises.md`), `decision 14` (a page of `docs/decisions`), or a page of `docs`. Several are separated by `; `.
   */
  readonly source: string
  /**
   * The provider that the requirement names, if it names one. Only reports on this provider count the requirement; its
   * cases run for every provider.
   */
  readonly provider?: "codex" | "claude-code"
  /** The file and the title of the test that proves it, where no case of this suite can. */
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

/** Every requirement by its id, such as `1.1` (a row of the first design's table, the seed) or `rule-3.released`. */
export const requirements = {
  ...seed("1.1", "`openSession` MUST start a session."),
  ...seed("1.2", "`execute` MUST send a prompt to the session's agent."),
  ...seed("1.3", "`closeSession` MUST end a session."),
  ...seed("1.4", "`openSession` MUST end in a value or a typed error, and MUST NOT throw."),
  ...seed("1.5", "`execute` MUST end in a value or a typed error, and MUST NOT throw."),
  ...seed("1.6", "`closeSession` MUST end in a value or a typed error, and MUST NOT throw."),
  ...seed("2.1", "`openSession` MUST succeed with `serverUrl` and `transport` alone.", codex),
  ...seed("2.2", "`execute` MUST succeed in an open session.", codex),
  ...seed("2.3", "A failed connection MUST be `ConnectionUnavailable`.", codex),
  ...seed("2.4", "`execute` MUST fail with `SessionClosed` in a closed session.", codex),
  ...seed("3.1", "`openSession` MUST succeed with `serverUrl` and `transport` alone.", claudeCode),
  ...seed("3.2", "`execute` MUST succeed in an open session.", claudeCode),
  ...seed("3.3", "A failed connection MUST be `ConnectionUnavailable`.", claudeCode),
  ...seed("3.4", "`execute` MUST fail with `SessionClosed` in a closed session.", claudeCode),
  ...seed("4.1", "A response of Codex MUST carry the provider `codex`.", codex),
  ...seed("4.2", "A response of Claude Code MUST carry the provider `claude-code`.", claudeCode),
  ...seed("4.3", "A response MUST carry the id of its session."),
  ...seed("4.4", "A response MUST carry the agent's content."),
  ...seed("5.1", "A prompt of no characters MUST be `InvalidRequest`."),
  ...seed("5.2", "A prompt of one character MUST be valid.", codex),
  ...seed("5.3", "A prompt of one character MUST be valid.", claudeCode),
  ...seed("5.4", "The id of a session that was never opened MUST be `SessionNotFound`."),
  ...seed("6.1", "The whole suite MUST hold for Codex.", codex),
  ...seed("6.2", "The whole suite MUST hold for Claude Code.", claudeCode),
  ...from("docs/concepts/sessions.md#limits; docs/reference/errors.md#invalid-config", {
    "port.config":
      "A malformed configuration MUST be `InvalidRequest` `invalid-config`, and the message MUST name the path.",
    "port.idle": "A turn that is silent for `idleTimeout` MUST fail with `stalled`.",
  }),
  ...from("promise 21", {
    "port.session-id": "A session id MUST be a random UUID that is never used twice.",
  }),
  ...from("docs/concepts/errors.md; docs/reference/errors.md#a-turn-that-failed-is-not-an-error", {
    "port.is-error":
      "A turn that failed on the agent's side MUST be a response with `isError`; the session MUST continue or fail with `conversation-lost`.",
  }),
  ...from("docs/concepts/errors.md; docs/concepts/delivery.md; promises 1 and 6", {
    "port.errors":
      "An error MUST be one of the four, with a reason from its closed list, a readable message and a `delivery`.",
    "port.deadline": "A request MUST fail with `deadline-exceeded` when its `deadline` passes.",
    "port.delivery": "`delivery` MUST be `not-sent` only if the prompt never reached the agent.",
  }),
  ...from("promise 36", {
    "port.well-formed": "A text MUST be well-formed: half of a surrogate pair MUST be sent and returned as U+FFFD.",
  }),
  ...from("docs/concepts/sessions.md#limits; decision 14", {
    "port.max-waiting": "An `execute` beyond `maxWaiting` MUST fail immediately, not sent.",
  }),
  ...from("docs/concepts/approvals.md; promise 33", {
    "approval.asked":
      "An agent's approval request MUST reach the host's policy, with a readable question, the provider, the session and the turn.",
    "approval.approved": "The agent MUST do what the policy approves, once or for the session.",
    "approval.declined": "The agent MUST NOT do what the policy declines, and its turn MUST continue.",
    "approval.default": "A client without a policy MUST decline everything.",
    "approval.deadline": "A policy that does not answer in time MUST count as a decline.",
    "approval.changes": "A request to change files MUST carry what is written, as a diff against the current files.",
    "approval.reason": "The reason of a decline MUST reach the agent's model.",
    "approval.questions":
      "Where `supports` says so, an agent's question MUST reach the policy with its options, and the answer the agent; a policy without an answer MUST dismiss it, and the turn MUST continue.",
  }),
  ...from("docs/concepts/approvals.md#rules; decision 15", {
    "approval.session":
      "The host MUST keep approvals for a session, and the agent MUST receive single decisions, so that the policy sees each use.",
  }),
  ...from("docs/concepts/approvals.md; promises 7 and 23", {
    "approval.contained": "A policy that fails MUST count as a decline, and MUST NOT affect anything else.",
  }),
  ...from("docs/concepts/events.md", {
    "approval.events": "An approval and its decision MUST be emitted in order, before the turn's result.",
  }),
  ...from("docs/concepts/approvals.md; promise 5", {
    "approval.cancelled":
      "A turn that waits for an approval MUST end like any other when it is cancelled, or its session closed.",
  }),
  ...from("docs/concepts/events.md", {
    "event.tools":
      "Where an agent reports its tools, an event MUST be emitted when each starts and when it has finished.",
    "event.usage":
      "Where an agent reports its tokens, they MUST be emitted before the result, and MUST be in the response.",
  }),
  ...from("docs/concepts/threads-and-turns.md#threads; promise 31", {
    "thread.started": "`ThreadStarted` MUST name the conversation once, before the agent's first text.",
    "thread.resume": "A conversation MUST be resumable from `ThreadStarted` on, however the turn and the server end.",
  }),
  ...from("docs/concepts/threads-and-turns.md#threads; docs/reference/errors.md#conversation-lost", {
    "thread.errors": "Every error of a session after `ThreadStarted` MUST carry the `threadId`.",
    "thread.unknown":
      "A session with a `threadId` that the agent does not have MUST fail with `conversation-lost` in its first turn at the latest.",
    "thread.lost":
      "`openSession` MUST fail with `SessionClosed` `conversation-lost`, not sent, for a thread that the agent does not have.",
  }),
  ...from("docs/concepts/sessions.md#lifecycle; promise 8", {
    "rule-1.transition": "A session MUST be opened, then closed, and MUST NOT open again.",
    "rule-1.unknown": "Every operation MUST fail with `SessionNotFound` for an unknown id.",
    "rule-1.closed": "Every operation MUST fail with `SessionClosed` for a closed id, also a second `closeSession`.",
    "rule-1.nothing-sent": "A request that is refused for the state of its session MUST NOT reach the agent.",
    "rule-1.request-first": "A request MUST be validated before its session's state is checked.",
  }),
  ...from("docs/concepts/sessions.md#lifecycle; promise 10", {
    "rule-2.handshake": "`openSession` MUST NOT succeed before the handshake is complete.",
    "rule-2.failed-open": "A failed `openSession` MUST release everything.",
  }),
  ...from("docs/concepts/sessions.md#lifecycle; promises 9 and 11", {
    "rule-3.released": "`closeSession` MUST release everything before it returns.",
    "rule-3.always-closed": "`closeSession` MUST close the session in any state of its agent.",
  }),
  /** Closing a session whose agent ignores the end of its input: the agent and its process group must be killed. */
  "rule-3.group": {
    behaviour:
      "An agent that ignores the end of its input MUST be killed with its whole process group, within `closeGrace` + 1 s.",
    source: "promises 9 and 11",
    provenElsewhere: stubbornProcess,
  } as Requirement,
  ...from("docs/concepts/threads-and-turns.md#turns; promises 4, 16 and 32", {
    "thread.one-writer":
      "A conversation MUST have one server at a time; another one MUST be refused, and one client's sessions MUST queue.",
    "rule-4.fifo": "A session MUST run one `execute` at a time, in the order of the calls.",
    "rule-4.parallel": "Sessions MUST be independent and run concurrently.",
    "rule-4.closing": "`execute` MUST end immediately in a session that closes or whose server exits.",
  }),
  ...from("docs/concepts/threads-and-turns.md#turns; promises 2 and 5", {
    "rule-5.ends": "Every `execute` MUST end: by result, by error, or by interruption.",
    "rule-5.cancel": "A cancelled `execute` MUST NOT be reported as a timeout.",
    "rule-5.server-notified": "The agent's server MUST receive the cancel of an `execute`.",
    "rule-5.conversation-lost":
      "The conversation MUST continue after a cancel, or the session MUST fail with `conversation-lost`.",
  }),
  ...from("docs/concepts/threads-and-turns.md#turns; promise 3", {
    "rule-6.continues": "The first `execute` MUST start a conversation, and later ones MUST continue it.",
    "rule-6.once": "A prompt MUST NOT be sent twice, whatever its outcome.",
  }),
  ...from("docs/concepts/events.md", {
    "rule-7.order":
      "Every event of a turn MUST be delivered before its result, in wire order: a reader that does nothing but read has it when `execute` returns.",
  }),
  ...from("docs/guides/stream.md", {
    "turn.stream":
      "`stream` MUST run one turn, emit its events in order and then its answer, fail as `execute` does, and cancel the turn when its reader leaves.",
  }),
  ...from("docs/guides/structured-answers.md", {
    "turn.structured":
      "The answer of a request with `output` MUST be checked by us, asked for again once in the same turn where it does not fit, and then be `structured` or the cause `Unstructured`; the schema MUST reach the agent, for that turn alone.",
  }),
  ...from("docs/concepts/threads-and-turns.md#what-a-turn-reports-at-its-end", {
    "turn.reports":
      "A response MUST have `context`, `cost` of its turn alone, and `stopReason` where `supports` says so, and nowhere else.",
  }),
  ...from("docs/guides/retry.md#limits", {
    "turn.limit":
      "A turn that a limit of the account has ended MUST have the cause `RateLimited` where `supports` says so, with the agent's own data; `McpResponse.orFail` MUST make it `rate-limited`, delivery `unknown`.",
  }),
  ...from("docs/guides/images-and-files.md", {
    "turn.attachments":
      "Attachments MUST be checked by their bytes before anything is sent, and reach the agent with the prompt of their turn; an agent that takes no images MUST refuse them by `not-supported`.",
  }),
  ...from("docs/guides/options-of-one-turn.md", {
    "turn.options":
      "Options of one turn MUST reach the agent, and hold for that turn alone, whatever its end; one that the agent does not have MUST be `not-supported`, and one that permits more than the session does `invalid-config`, before anything is sent.",
  }),
  ...from("docs/guides/steer.md", {
    "turn.steer":
      "A text of `steer` MUST reach the agent once: in the turn under way, or before the next prompt; what no prompt followed MUST be reported when the session closes.",
  }),
  ...from("docs/guides/tools-of-your-own.md", {
    "turn.tools":
      "A tool of the session's own MUST be called in the caller's process with checked arguments, within its turn, and unless a rule declines it; its result or why there is none MUST reach the agent, whose turn MUST go on. A client without them MUST refuse them by `not-supported`, before anything is sent.",
  }),
  ...from("docs/guides/conversations.md", {
    "threads.stored":
      "`threads` MUST list the agent's stored conversations, newest first, and read, fork, rename, archive and delete them; a fork MUST leave its origin unchanged, and an unknown one MUST be `conversation-lost`.",
  }),
  ...from("docs/concepts/sessions.md#lifecycle; promise 11", {
    "rule-8.disposal": "The end of the client's Scope MUST close every session.",
  }),
  ...from("docs/concepts/threads-and-turns.md#the-end-of-a-turn; promise 34", {
    "rule-9.wait": "`execute` MUST return after the sub-agents and commands of its turn have ended.",
    "rule-9.policy": "An approval of such work MUST reach the policy, and MUST be an event, whenever it is requested.",
    "rule-9.listed": "Work that an option lets go on MUST be listed in the response, and its end MUST be an event.",
    "rule-9.cancel": "A cancelled turn MUST end its work before the next turn begins.",
    "rule-9.closed": "`closeSession` MUST end the work that goes on before it returns.",
  }),
  /** A host, the program that uses the client, that ends without closing it: no process of its agents may remain. */
  "rule-8.crash": {
    behaviour: "A host that exits or crashes MUST NOT leave a child process.",
    source: "promise 12",
    provenElsewhere: killedHost,
  } as Requirement,
} satisfies Readonly<Record<string, Requirement>>

/** The id of a requirement: a key of `requirements`. */
export type RequirementId = keyof typeof requirements

/** Every id, in the order of `requirements`. */
export const ids = Object.keys(requirements) as ReadonlyArray<RequirementId>

/**
 * Returns the behaviour, the source and the proof of a requirement.
 *
 * @param id a key of `requirements`, such as `rule-3.released`
 */
export const get = (id: RequirementId): Requirement => requirements[id]

/**
 * Returns the ids of the requirements that a run of the suite can prove for a provider.
 *
 * @param provider the provider's name. For one that no requirement names, such as a third party's, the requirements
 *   without a provider are returned
 */
export const of = (provider: string): ReadonlyArray<RequirementId> =>
  ids.filter((id) => {
    const requirement = get(id)
    return (
      requirement.provenElsewhere === undefined &&
      (requirement.provider === undefined || requirement.provider === provider)
    )
  })
