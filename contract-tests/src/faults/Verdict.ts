/**
 * Whether an operation ended as it was due, and what it shows.
 */
import { inspect } from "node:util"
import * as McpError from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Expect from "../Expect.ts"
import type { CallOutcome, Failure } from "./Fault.ts"
import { answerText } from "./peer/Behaviour.ts"

/** `outcome`: what happened, in few words. `problems`: what was due and did not happen; none when all is well. */
export interface Verdict {
  readonly outcome: string
  readonly problems: ReadonlyArray<string>
}

/** What a case of the table is about: who answers, and what must not show. */
export interface About {
  readonly provider: string
  readonly secret: string
}

/** Stands for the error of an operation that had to be given up. */
export const unended = Symbol("unended")

/** Judges an operation that may end in one of several ways. */
export const judge = (exit: Exit.Exit<unknown, unknown>, due: ReadonlyArray<CallOutcome>, about: About): Verdict => {
  if (Exit.isSuccess(exit)) return ofSuccess(exit.value, due, about)
  const [reason, ...others] = exit.cause.reasons
  if (reason?._tag !== "Fail" || others.length > 0) {
    return { outcome: "no typed error", problems: [`It ended with ${McpError.clip(Cause.pretty(exit.cause), 600)}`] }
  }
  const { error } = reason
  if (error === unended) return { outcome: "unended", problems: [] }
  const soundness = Effect.runSyncExit(Expect.wellFormed(error))
  const problems = [...(Exit.isFailure(soundness) ? [Cause.pretty(soundness.cause).split("\n")[0] ?? ""] : [])]
  problems.push(...leaks(error, about.secret))
  if (!McpError.isMcpError(error)) return { outcome: "a foreign error", problems }
  if (Buffer.byteLength(error.message) > McpError.messageLimit) problems.push("The message is too long.")
  const outcome = `${error.reason}, ${error.delivery}`
  const failures = due.filter((way) => typeof way !== "string")
  const complaints = failures.map((failure) => mismatch(error, failure))
  if (complaints.every((complaint) => complaint !== undefined)) {
    problems.push(`${complaints[0] ?? `${due.join(" or ")} was due`}; it says ${outcome}: ${error.message}`)
  }
  return { outcome, problems }
}

const ofSuccess = (response: unknown, due: ReadonlyArray<CallOutcome>, { provider, secret }: About): Verdict => {
  if (typeof response !== "object" || response === null) {
    const problems = due.includes("answers") ? [] : [`${describe(due)} was due, and it succeeded.`]
    return { outcome: "succeeds", problems }
  }
  const value = response as McpResponse
  const outcome = value.isError ? "is-error" : "answers"
  const problems: Array<string> = []
  if (!due.includes(outcome)) problems.push(`${describe(due)} was due, and it ${outcome}: ${brief(value.content)}`)
  if (outcome === "answers" && !value.content.startsWith(answerText)) {
    problems.push(`The answer is not the server's: ${brief(value.content)}`)
  }
  if (value.provider !== provider) problems.push(`The provider is ${value.provider}.`)
  if (value.isError && JSON.stringify(value).includes(secret)) problems.push("The response shows the secret.")
  return { outcome, problems }
}

const brief = (text: string) => McpError.clip(text, 100)

const describe = (due: ReadonlyArray<CallOutcome>) =>
  due.map((way) => (typeof way === "string" ? way : way.reasons.join(" or "))).join(" or ")

const mismatch = (error: McpError.McpError, failure: Failure): string | undefined => {
  const { delivery, diagnostics, reasons, retryAfter } = failure
  if (!reasons.includes(error.reason)) return `${reasons.join(" or ")} was due`
  if (delivery !== undefined && error.delivery !== delivery) return `The delivery ${delivery} was due`
  const told: McpError.McpDiagnostics = error.diagnostics ?? {}
  for (const [name, value] of Object.entries(diagnostics ?? {})) {
    const seen = told[name as keyof McpError.McpDiagnostics]
    if (seen !== value) return `The diagnostics ${name}: ${value} were due, and not ${String(seen)}`
  }
  if (retryAfter === "none") {
    return told.retryAfter === undefined ? undefined : `No retryAfter was due, and not ${told.retryAfter}`
  }
  if (retryAfter !== undefined) {
    const [least, most] = retryAfter
    const seen = told.retryAfter
    if (seen === undefined || seen < least || seen > most) {
      return `A retryAfter from ${least} to ${most} was due, and not ${String(seen)}`
    }
  }
  return undefined
}

/** Where an error shows the secret: everything that may end in a log. */
const leaks = (error: unknown, secret: string): ReadonlyArray<string> => {
  const views: ReadonlyArray<readonly [string, () => string]> = [
    ["message", () => String((error as Error).message)],
    ["String", () => String(error)],
    ["JSON", () => JSON.stringify(error) ?? ""],
    ["inspect", () => inspect(error, { depth: 10, maxStringLength: null })],
    ["inspect with hidden members", () => inspect(error, { depth: 10, maxStringLength: null, showHidden: true })],
    ["stack", () => String((error as Error).stack)],
    ["cause", () => inspect((error as Error).cause, { depth: 10, maxStringLength: null, showHidden: true })],
  ]
  return views.flatMap(([name, view]) => (view().includes(secret) ? [`The error shows the secret (${name}).`] : []))
}
