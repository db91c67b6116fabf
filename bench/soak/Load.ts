/** The work: prompts in long sessions, and many short sessions. Every answer is checked. */
import { ContractScript } from "@zain/contract-tests"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import type { McpPromiseClient } from "@zain/core/McpPromiseClient"
import type { McpSessionId } from "@zain/core/McpSessionId"

export interface Work {
  readonly client: McpPromiseClient
  /** Opens a session. */
  readonly config: McpConnectionConfig
  /** How many sessions are busy at once. */
  readonly lanes: number
  /** Is called after each execute and session. */
  readonly done: () => void
}

/** The first failure, and the number of failures. */
export interface Failures {
  readonly first: string | undefined
  readonly count: number
}

/** Parallel lanes take numbers from one counter. */
const spread = async (
  count: number,
  { lanes }: Work,
  lane: (numbers: Iterable<number>, fail: Fail) => Promise<void>,
) => {
  const numbers = (function* () {
    for (let number = 0; number < count; number++) yield number
  })()
  // A lane that stops early must not end the others' numbers.
  const shared: Iterable<number> = { [Symbol.iterator]: () => ({ next: () => numbers.next() }) }
  let failures: Failures = { first: undefined, count: 0 }
  const fail = (what: string) => {
    failures = { first: failures.first ?? what, count: failures.count + 1 }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, () => lane(shared, fail)))
  return failures
}

type Fail = (what: string) => void

const problem = ({ _tag, message, reason }: McpError): string => `${_tag} ${reason}: ${message}`

/** One session, from opening to closing: asks for each number, with a reader of its events, and looks at each answer. */
const converse = async ({ client, config, done }: Work, numbers: Iterable<number>, fail: Fail): Promise<void> => {
  const opened = await client.openSession(config)
  if (opened._tag === "Failure") return fail(problem(opened.failure))
  const session = opened.success
  const read = drain(client, session)
  for (const number of numbers) {
    const text = `answer ${number}`
    const answer = await client.execute(session, ContractScript.prompt({ _tag: "Say", text }, `n${number}`))
    if (answer._tag === "Failure") fail(problem(answer.failure))
    else if (answer.success.content !== text) fail(`"${text}" was due, and it said "${answer.success.content}"`)
    done()
  }
  const closed = await client.closeSession(session)
  if (closed._tag === "Failure") fail(problem(closed.failure))
  await read
}

const drain = async (client: McpPromiseClient, session: McpSessionId) => {
  for await (const _ of client.events(session)) {
    // The reader must exist; its events are not checked.
  }
}

/** Prompts in a few long sessions. */
export const executes = (count: number, work: Work): Promise<Failures> =>
  spread(count, work, (numbers, fail) => converse(work, numbers, fail))

/** Sessions with one prompt each. */
export const sessions = (count: number, work: Work): Promise<Failures> =>
  spread(count, work, async (numbers, fail) => {
    for (const number of numbers) await converse(work, [number], fail)
  })
