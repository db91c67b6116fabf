/**
 * What a check does, a line for each step: whether it went well, how long it took, and what was printed if it did not.
 */
import { execFile } from "node:child_process"
import { availableParallelism } from "node:os"
import { promisify } from "node:util"

const execute = promisify(execFile)

/** What a program printed that failed, or what is wrong. */
export class StepFailed extends Error {}

export interface Steps {
  /**
   * Does one step, and tells how it ended, with a `note` of what came of it.
   *
   * @throws what the work throws
   */
  readonly step: <A>(title: string, work: () => Promise<A>, note?: (result: A) => string) => Promise<A>
  /**
   * Runs a program.
   *
   * @returns what it printed
   * @throws StepFailed when it ends with another code than 0, or takes too long
   */
  readonly run: (command: string, args: ReadonlyArray<string>, place: Place) => Promise<string>
}

/**
 * - `env`: all the variables that a program has; by default the ones of this process, but for its tokens
 * - `seconds`: how long it may take; two minutes by default
 */
export interface Place {
  readonly cwd: string
  readonly seconds?: number
  readonly env?: Readonly<Record<string, string | undefined>>
}

type Works = ReadonlyArray<() => Promise<unknown>>

/**
 * Does several things at the same time, and waits for all of them, also when one fails.
 *
 * @throws what the first of them throws
 */
export const all = async <W extends Works>(
  works: readonly [...W],
): Promise<{ readonly [K in keyof W]: Awaited<ReturnType<W[K]>> }> => {
  const started = works.map((work) => work())
  await Promise.allSettled(started)
  return Promise.all(started) as Promise<{ [K in keyof W]: Awaited<ReturnType<W[K]>> }>
}

/** `killed`, and `code` is no word such as `ABORT_ERR`: its time was over. */
type ExecFailure = Error & {
  readonly code?: number | string | null
  readonly killed?: boolean
  readonly stderr?: string
  readonly stdout?: string
}

/** Names of what a stranger's package must not learn. */
const secret = /token|secret|passw|credential|auth|_key$|^actions_/i

const withoutTokens = (all: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !secret.test(name)))

/** Tools that would call out, or install what they miss, and do not. */
const quiet = {
  DO_NOT_TRACK: "1",
  NO_UPDATE_NOTIFIER: "1",
  NO_COLOR: "1",
  pnpm_config_verify_deps_before_run: "false",
}

/**
 * @param tell takes each line
 * @param signal ends what is under way
 */
export const make = (tell: (line: string) => void, signal: AbortSignal): Steps => {
  let free = 2 * availableParallelism()
  const waiting: Array<() => void> = []
  /** No more programs at once than keep the processors busy. */
  const inTurn = async <A>(work: () => Promise<A>): Promise<A> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
  const run: Steps["run"] = async (command, args, { cwd, env = withoutTokens(process.env), seconds = 120 }) => {
    const options = { cwd, env: { ...env, ...quiet }, signal, maxBuffer: 2 ** 26, timeout: seconds * 1000 }
    try {
      return (await inTurn(() => execute(command, args, options))).stdout
    } catch (cause) {
      const { code, killed, message, stderr = "", stdout = "" } = cause as ExecFailure
      const end = killed === true && typeof code !== "string" ? `It was ended after ${seconds} s.` : ""
      const said = [stdout, stderr, end].filter((text) => text !== "").join("\n") || message
      throw new StepFailed(`$ ${[command, ...args].join(" ")}\n${said.trim()}`)
    }
  }
  const step: Steps["step"] = async (title, work, note) => {
    const start = performance.now()
    const end = (sign: string, more = "") => tell(`${sign} ${seconds(performance.now() - start)}  ${title}${more}`)
    try {
      const result = await work()
      end("✔", note === undefined ? "" : ` (${note(result)})`)
      return result
    } catch (cause) {
      end("✘")
      if (!signal.aborted) tell(indented(cause instanceof StepFailed ? cause.message : String((cause as Error).stack)))
      throw cause
    }
  }
  return { step, run }
}

/** As wide as 99.9 s. */
export const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`.padStart(6)

const indented = (text: string) => text.replace(/^/gm, "    ")
