/**
 * What a test of the suite tells reporters about itself, in vitest's `meta`, so that a report can be judged without
 * reading titles. What a case proves is not in it: that stands in the suite.
 */
import { isRecord } from "@zain/process/JsonRpc"
import type { Capability } from "../ContractSubject.ts"

/** The key of a note in a test's `meta`. */
export const key = "zain/contract"

/** The id of the test that asks whether the subject itself is sound. It verifies nothing. */
export const soundness = "subject.sound"

/**
 * - `suite`: the version of the suite that ran
 * - `subject`, `provider`: whom the suite was run for
 * - `case`: the case's id, or `soundness`
 * - `outcome`: how the suite saw it end; none while it has not
 * - `excuse`: why the suite skipped it; without one, a test that was not run is missing
 * - `lacks`: what the subject says that it cannot, of what the case needs
 */
export interface ContractNote {
  readonly suite: string
  readonly subject: string
  readonly provider: string
  readonly case: string
  readonly outcome?: "passed" | "failed" | "skipped"
  readonly excuse?: string
  readonly lacks: ReadonlyArray<Capability>
}

/** A note that came by a report, where names are only text. */
export type ReadNote = { readonly [Field in keyof ContractNote]: Widened<ContractNote[Field]> }
type Widened<Value> =
  Value extends ReadonlyArray<string> ? ReadonlyArray<string> : Value extends string ? string : Value

/** The note in a test's `meta`, whatever that is; `undefined` when there is none that can be read. */
export const read = (meta: unknown): ReadNote | undefined => {
  const note = isRecord(meta) ? meta[key] : undefined
  if (!isRecord(note)) return undefined
  const { case: id, excuse, lacks = [], outcome, provider, subject, suite } = note
  if (!isText(subject) || !isText(provider) || !isText(id) || !isTexts(lacks)) return undefined
  return {
    suite: isText(suite) ? clean(suite) : "unknown",
    subject: clean(subject),
    provider: clean(provider),
    case: clean(id),
    lacks: lacks.map(clean),
    ...(isText(outcome) ? { outcome: clean(outcome) } : {}),
    ...(isText(excuse) ? { excuse: clean(excuse) } : {}),
  }
}

const longest = 500

/** Texts of tests are shown on one line, cut, and steer neither a terminal nor a runner, as `::error::` would. */
export const clean = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
    .replace(/^::/, ": :")
    .replaceAll("##[", "# #[")
    .slice(0, longest)

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)
