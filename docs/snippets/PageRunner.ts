/**
 * Runs programs one after the other in one process, each once the one before has nothing left to do, and writes what
 * became of each to a file. A page is one process, so that what all programs import is loaded once.
 *
 *     node PageRunner.ts REPORT PROGRAM…
 */
import { appendFileSync } from "node:fs"
import { inspect } from "node:util"

/** A line of the report: a program begins, or has ended. `failure` is what it threw, or why it did not end well. */
export type Line =
  | { readonly began: string }
  | { readonly ended: string; readonly stdout: string; readonly failure?: string }

const [report = "", ...programs] = process.argv.slice(2)
const write = (line: Line) => appendFileSync(report, `${JSON.stringify(line)}\n`)

interface Running {
  readonly program: string
  isPending: boolean
  stdout: string
  failure: string | undefined
}

let running: Running | undefined

process.stdout.write = ((...[piece, , callback]: [string | Uint8Array, ...ReadonlyArray<unknown>]) => {
  if (running !== undefined) running.stdout += typeof piece === "string" ? piece : new TextDecoder().decode(piece)
  if (typeof callback === "function") callback()
  return true
}) as typeof process.stdout.write

const failed = (reason: unknown) => {
  if (running !== undefined) running.failure ??= inspect(reason)
}
process.on("uncaughtException", failed)
process.on("unhandledRejection", failed)

const finish = () => {
  if (running === undefined) return
  const { failure, isPending, program, stdout } = running
  const code = process.exitCode ?? 0
  const why = failure ?? (isPending ? waits : code === 0 ? undefined : `it ended with the exit code ${code}`)
  write({ ended: program, stdout, ...(why === undefined ? {} : { failure: why }) })
  running = undefined
  process.exitCode = 0
}
const waits = "it ended before it was done: what it awaits never comes, or it called process.exit()"

const next = () => {
  finish()
  const program = programs.shift()
  if (program === undefined) return
  write({ began: program })
  const mine: Running = { program, isPending: true, stdout: "", failure: undefined }
  running = mine
  import(program).catch(failed).finally(() => {
    mine.isPending = false
  })
}

// Nothing is left to do: the program is over.
process.on("beforeExit", next)
process.on("exit", finish)
next()
