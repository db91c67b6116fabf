/**
 * What a test of the suite tells reporters about itself, in vitest's `meta`, so that a report can be judged without
 * reading titles.
 */
import type { Capability } from "../ContractSubject.ts"
import type { RequirementId } from "../Requirements.ts"

/** The key of a note in a test's `meta`. */
export const key = "zain/contract"

/** The id of the test that asks whether the subject itself is sound. It verifies nothing. */
export const soundness = "subject.sound"

/**
 * - `subject`, `provider`: whom the suite was run for
 * - `case`: the case's id, or `soundness`
 * - `of`: how many tests there are for this subject
 * - `verifies`, `needs`: what the case proves, and which capabilities it needs for that
 * - `excuse`: why the suite skipped it; without one, a test that was not run is missing
 * - `lacks`: what the subject says that it cannot, of what the case needs
 */
export interface ContractNote {
  readonly subject: string
  readonly provider: string
  readonly case: string
  readonly of: number
  readonly verifies: ReadonlyArray<RequirementId>
  readonly needs: ReadonlyArray<Capability>
  readonly excuse?: string
  readonly lacks: ReadonlyArray<Capability>
}

/** A note that came by a report, where names are only text. */
export type ReadNote = { readonly [Field in keyof ContractNote]: Widened<ContractNote[Field]> }
type Widened<Value> = Value extends ReadonlyArray<string> ? ReadonlyArray<string> : Value

/** The note in a test's `meta`, whatever that is; `undefined` when there is none that can be read. */
export const read = (meta: unknown): ReadNote | undefined => {
  const note = isRecord(meta) ? meta[key] : undefined
  if (!isRecord(note)) return undefined
  const { case: id, excuse, lacks, needs, of, provider, subject, verifies } = note
  if (!isText(subject) || !isText(provider) || !isText(id) || typeof of !== "number") return undefined
  if (!isTexts(verifies) || !isTexts(needs) || !isTexts(lacks)) return undefined
  const known = { subject, provider, case: id, of, verifies, needs, lacks }
  return isText(excuse) ? { ...known, excuse } : known
}

/** Whether a value of JSON is an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)
