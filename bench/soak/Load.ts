/** The work: prompts in long sessions, and many short sessions. Every answer is looked at. */
import { ContractScript } from "@zain/contract-tests"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpPromiseClient } from "@zain/core/McpPromiseClient"
import type { McpResult } from "@zain/core/McpResult"
import type { McpSessionId } from "@zain/core/McpSessionId"

/**
 * - `config`: opens a session
 * - `lanes`: how many sessions are busy at once
 * - `done`: hears of everything that is done
 */
export interface Work {
  readonly client: McpPromiseClient
  readonly config: McpConnectionConfig
  readonly lanes: number
  readonly done: () => void
}

/** What went wrong, the first few words of it, and how often. */
export interface Failures {
  readonly first: string | undefined
  readonly count: number
}

const collector = () => {
  let first: string | undefined
  let count = 0
  return {
    add: (what: string) => {
      first ??= what
      count++
    },
    found: (): Failures => ({ first, count }),
  }
}

const problem = (result: McpResult<unknown>): string =>
  result._tag === "Failure" ? `${result.failure._tag} ${result.failure.reason}: ${result.failure.message}` : ""

/** Takes numbers from one counter, in as many lanes at once as are allowed. */
const spread = async (count: number, lanes: number, work: (numbers: Iterable<number>) => Promise<void>) => {
  const numbers = (function* () {
    for (let number = 0; number < count; number++) yield number
  })()
  // A lane that stops early must not end the others' numbers.
  const shared: Iterable<number> = { [Symbol.iterator]: () => ({ next: () => numbers.next() }) }
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, () => work(shared)))
}

/** Asks, and says what is wrong with the answer; nothing when it is the right one. */
const ask = async (client: McpPromiseClient, session: McpSessionId, number: number): Promise<string> => {
  const text = `answer ${number}`
  const answer = await client.execute(session, ContractScript.prompt({ _tag: "Say", text }, `n${number}`))
  if (answer._tag === "Failure") return problem(answer)
  return answer.success.content === text ? "" : `"${text}" was due, and it said "${answer.success.content}"`
}

/** So many prompts, in a few sessions that stay, each with a reader of its events. */
export const executes = async (count: number, { client, config, done, lanes }: Work): Promise<Failures> => {
  const failures = collector()
  await spread(count, lanes, async (numbers) => {
    const opened = await client.openSession(config)
    if (opened._tag === "Failure") return failures.add(problem(opened))
    const session = opened.success
    const read = drain(client, session)
    for (const number of numbers) {
      const wrong = await ask(client, session, number)
      if (wrong !== "") failures.add(wrong)
      done()
    }
    const closed = await client.closeSession(session)
    if (closed._tag === "Failure") failures.add(problem(closed))
    await read
  })
  return failures.found()
}

const drain = async (client: McpPromiseClient, session: McpSessionId) => {
  for await (const _ of client.events(session)) {
    // What counts is that somebody reads.
  }
}

/** So many sessions: opened, asked once, closed. */
export const sessions = async (count: number, { client, config, done, lanes }: Work): Promise<Failures> => {
  const failures = collector()
  await spread(count, lanes, async (numbers) => {
    for (const number of numbers) {
      const opened = await client.openSession(config)
      if (opened._tag === "Failure") failures.add(problem(opened))
      else {
        const wrong = await ask(client, opened.success, number)
        if (wrong !== "") failures.add(wrong)
        const closed = await client.closeSession(opened.success)
        if (closed._tag === "Failure") failures.add(problem(closed))
      }
      done()
    }
  })
  return failures.found()
}
