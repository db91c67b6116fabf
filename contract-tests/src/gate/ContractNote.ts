/**
 * The note that each test of the suite adds to vitest's `meta`, so that the gate need not read titles. What a case proves is
 * not part of it; the gate reads that from the suite.
 */
import { isRecord } from "@zain/process/JsonRpc"
import type { Capability } from "../ContractSubject.ts"

/** The key of a note in a test's `meta`. */
export const key = "zain/contract"

/** The id of the test that checks the subject itself. It proves no requirement. */
export const soundness = "subject.sound"

/**
 * - `suite`: the version of the suite that ran
 * - `subject`, `provider`: of the subject
 * - `case`: the case's id, or `soundness`
 * - `outcome`: how the test ended by the suite; absent before its end
 * - `excuse`: why the suite skipped it; without one, a skipped test counts as missing
 * - `lacks`: the capabilities that the case needs and the subject's `cannot` names
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

/** A note from a report, whose names are not checked. */
export type ReadNote = { readonly [Field in keyof ContractNote]: Widened<ContractNote[Field]> }
type Widened<Value> =
  Value extends ReadonlyArray<string> ? ReadonlyArray<string> : Value extends string ? string : Value

/** Reads the note in a test's `meta`; `undefined` if there is none or it is malformed. */
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

const maxLineLength = 500

/** Makes a text one line of at most 500 characters that controls neither a terminal nor a runner, as `::error::` would. */
export const clean = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
    .replace(/^::/, ": :")
    .replaceAll("##[", "# #[")
    .slice(0, maxLineLength)

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)
