/**
 * Codex's own dialect of MCP's elicitation: it reads a `decision` beside `action`, and a call whose elicitation is
 * refused with an error, or not answered, hangs for ever.
 *
 * @see Codex 0.153.4, approvals: measured for every kind of answer
 */

/** What Codex asks with. Everything else is refused by the shared machinery. */
const method = "elicitation/create"

const reason = "Declined by the policy of this session: nothing may be run or changed beyond its sandbox."

/**
 * The answer to a request of Codex's.
 *
 * @returns a refusal that tells the model why and lets the turn go on, or `undefined` for what Codex does not ask
 */
export const answer = (asked: string): unknown =>
  asked === method ? { action: "decline", decision: { denied: { rejection: reason } } } : undefined
