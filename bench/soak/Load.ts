/** The work: prompts in long sessions, and many short sessions. Every answer is looked at. */
import { ContractScript } from "@zain/contract-tests"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import type { McpPromiseClient } from "@zain/core/McpPromiseClient"
import type { McpSessionId } from "@zain/core/McpSessionId"

/**
 * - `config`: opens a session
 * - `lanes`: how many sessions are busy at once
 * - `done`: receives a call per unit of work done
 */
export interface Work {
  readonly client: McpPromiseClient
  readonly config: McpConnectionConfig
  readonly lanes: number
  readonly done: () => void
}

/** What went wrong first, and how often something did. */
export interface Failures {
  readonly first: string | undefined
  readonly count: number
}

/** Lanes take numbers from one counter, as many at once as are allowed. */
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
    // What counts is that somebody reads.
  }
}

/** So many prompts, in a few sessions that stay. */
export const executes = (count: number, work: Work): Promise<Failures> =>
  spread(count, work, (numbers, fail) => converse(work, numbers, fail))

/** So many sessions: opened, asked once, closed. */
export const sessions = (count: number, work: Work): Promise<Failures> =>
  spread(count, work, async (numbers, fail) => {
    for (const number of numbers) await converse(work, [number], fail)
  })
