/**
 * Compares how an operation ended with what was expected, and looks for the secret in its error.
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

/** `outcome`: how the operation ended, in a few words. `problems`: the expectations that were not met. */
export interface Verdict {
  readonly outcome: string
  readonly problems: ReadonlyArray<string>
}

/** `provider`: of every response. `secret`: what no error may show. */
export interface About {
  readonly provider: string
  readonly secret: string
}

/** The error of an operation that did not end within its limit. */
export const unended = Symbol("unended")

/** Judges an operation that may end in any of several ways. */
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
  if (Buffer.byteLength(error.message) > McpError.maxErrorMessageBytes) problems.push("The message is too long.")
  const outcome = `${error.reason}, ${error.delivery}`
  const failures = due.filter((way) => typeof way !== "string")
  const complaints = failures.map((failure) => mismatch(error, failure))
  if (complaints.every((complaint) => complaint !== undefined)) {
    problems.push(`${complaints[0] ?? `Expected ${due.join(" or ")}`}; it failed with ${outcome}: ${error.message}`)
  }
  return { outcome, problems }
}

const ofSuccess = (response: unknown, due: ReadonlyArray<CallOutcome>, { provider, secret }: About): Verdict => {
  if (typeof response !== "object" || response === null) {
    const problems = due.includes("answers") ? [] : [`Expected ${describe(due)}, but it succeeded.`]
    return { outcome: "succeeds", problems }
  }
  const value = response as McpResponse
  const outcome = value.isError ? "is-error" : "answers"
  const problems: Array<string> = []
  if (!due.includes(outcome))
    problems.push(`Expected ${describe(due)}, but it ended with ${outcome}: ${brief(value.content)}`)
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
  if (!reasons.includes(error.reason)) return `Expected ${reasons.join(" or ")}`
  if (delivery !== undefined && error.delivery !== delivery) return `Expected delivery ${delivery}`
  const actual: McpError.McpDiagnostics = error.diagnostics ?? {}
  for (const [name, value] of Object.entries(diagnostics ?? {})) {
    const seen = actual[name as keyof McpError.McpDiagnostics]
    if (seen !== value) return `Expected diagnostics ${name}: ${value}, but found ${String(seen)}`
  }
  if (retryAfter === "none") {
    return actual.retryAfter === undefined ? undefined : `Expected no retryAfter, but found ${actual.retryAfter}`
  }
  if (retryAfter !== undefined) {
    const [min, max] = retryAfter
    const seen = actual.retryAfter
    if (seen === undefined || seen < min || seen > max) {
      return `Expected a retryAfter from ${min} to ${max}, but found ${String(seen)}`
    }
  }
  return undefined
}

/** Looks for the secret in every view of an error that may end in a log. */
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
