/**
 * The commands of `zain` in this process, with the arguments, the variables, the directory and the streams of a test. What
 * only a process has needs a `ZainProcess`: signals, closed outputs, keys, and what it leaves behind.
 */
import { PassThrough, type Readable, Writable } from "node:stream"
import { WriteStream } from "node:tty"
import type { Agent } from "@zain/agent-list/Agent"
import { agents } from "@zain/agent-list/Agents"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { Cause, Effect } from "effect"
import * as Main from "../../src/Main.ts"
import type { Place, Variables, Zain } from "./ZainProcess.ts"

/** A `zain` that has ended. */
export type Ended = Pick<Zain, "errors" | "exit" | "output">

/**
 * - `agents`: the agents that it knows; by default all
 * - `columns`: the width of the terminal that it prints on; by default it prints into pipes
 * - `input`: its standard input; by default one that never ends
 */
export interface Options {
  readonly agents?: ReadonlyArray<Agent>
  readonly columns?: number
  readonly input?: Readable
}

const cache = compileCache()

/** The agents, whose servers start with this process's cache of compiled code. */
export const known: ReadonlyArray<Agent> = agents.map((agent) => ({
  ...agent,
  client: async () => {
    const client = await agent.client()
    const local: typeof client.local = (options) => {
      const config = client.local(options)
      return { ...config, env: { ...config.env, ...cache } }
    }
    return { ...client, local }
  },
}))

/** The same agent with one client, whose sessions end with the Scope: all runs share one agent server. */
export const held = Effect.fnUntraced(function* (name: string) {
  const agent = known.find((one) => one.name === name) as Agent
  const client = yield* Effect.promise(agent.client)
  const make = Effect.succeed({ ...(yield* client.make), closeSession: () => Effect.void })
  return [{ ...agent, client: async () => ({ ...client, make }) }]
})

/** Runs it to its end. */
export const run = (args: ReadonlyArray<string>, place: Place, options: Options = {}): Effect.Effect<Ended> =>
  Effect.suspend(() => {
    const { agents = known, columns, input = new PassThrough() } = options
    const texts = { output: "", errors: "" }
    const stream = (name: keyof typeof texts) => {
      const written = new Writable({
        write: (piece, _, done) => {
          texts[name] += String(piece)
          done()
        },
      })
      const { getColorDepth } = WriteStream.prototype
      return columns === undefined ? written : Object.assign(written, { isTTY: true, columns, rows: 24, getColorDepth })
    }
    const work = Effect.scoped(Main.main(args, agents)).pipe(
      Effect.catchCause((cause) => {
        const error = Cause.squash(cause)
        texts.errors += `zain: ${error instanceof Error ? error.message : String(error)}\n`
        return Effect.succeed(1)
      }),
    )
    const streams = { stdin: input, stdout: stream("output"), stderr: stream("errors") }
    return Effect.map(
      Effect.acquireUseRelease(
        Effect.sync(() => enter(place, streams)),
        () => work,
        (leave) => Effect.sync(leave),
      ),
      (code) => ({ output: () => texts.output, errors: () => texts.errors, exit: Effect.succeed(code) }),
    )
  })

let isUnderWay = false

/** Gives this process another directory, environment and streams; returns what gives the former back. */
const enter = ({ cwd, env }: Place, streams: Readonly<Record<string, unknown>>) => {
  if (isUnderWay) throw new Error("Another run has the directory, the variables and the streams of this process.")
  isUnderWay = true
  const before = { cwd: process.cwd(), env: { ...process.env } as Variables }
  const own = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}] as const)
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
  setVariables(env)
  process.chdir(cwd)
  return () => {
    process.chdir(before.cwd)
    setVariables(before.env)
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor)
    isUnderWay = false
  }
}

/** Vitest's own stay. */
const setVariables = (env: Variables) => {
  for (const name of Object.keys(process.env)) if (!(name in env || /^VITEST/.test(name))) delete process.env[name]
  Object.assign(process.env, env)
}
