/**
 * The latest outcome of each row, from which the page is written.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { type Form, type Outcome, outcomeOf } from "./Contest.ts"
import { type Fact, facts } from "./Machine.ts"
import type { Blocks } from "./Measure.ts"
import type { Row } from "./Row.ts"

/** The day of a measurement and its machine. */
export interface Kept {
  readonly date: string
  readonly facts: ReadonlyArray<Fact>
  readonly blocks: Blocks
}

const directory = (form: Form) => new URL(`../node_modules/.cache/bench/${form}/`, import.meta.url)
const fileOf = ({ name }: Row, form: Form) => new URL(`${name}.json`, directory(form))

export const keep = async ({ blocks, row }: Outcome, form: Form): Promise<void> => {
  const kept: Kept = { date: new Date().toISOString().slice(0, 10), facts: facts(), blocks }
  await mkdir(directory(form), { recursive: true })
  await writeFile(fileOf(row, form), JSON.stringify(kept))
}

/** What was kept of a row, or undefined. */
export const find = async (row: Row, form: Form): Promise<(Kept & Outcome) | undefined> => {
  const text = await readFile(fileOf(row, form), "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  const kept: Kept = JSON.parse(text)
  return { ...kept, ...outcomeOf(row, kept.blocks) }
}
