/**
 * `pnpm bench [--only <row>] [--quick] [--list]`: measures rows, and prints each with its figures. After all rows, or with
 * `--page`, it writes docs/internals/performance.md and its plot from the latest measurement of each row. With `--short`
 * it measures the rows that every change must keep, each by a looser bound. Where `ZAIN_BENCH_BEFORE` names another
 * checkout, with its dependencies installed, its client takes its turns beside ours, and nothing is kept.
 */
import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { type Form, type Outcome, run } from "./Contest.ts"
import { facts } from "./Machine.ts"
import * as Page from "./Page.ts"
import * as Plot from "./Plot.ts"
import * as Report from "./Report.ts"
import { beforeRoot, type Row } from "./Row.ts"
import { noticed, rows } from "./rows.ts"
import * as Store from "./Store.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
})
const isAlone = process.env[beforeRoot] === undefined
const form: Form = values.quick ? "quick" : values.short ? "short" : "whole"
const names = rows.map(({ name }) => name)
const unknown = values.only?.find((name) => !names.includes(name))
const chosen = values.only === undefined ? rows : rows.filter(({ name }) => values.only?.includes(name))

/** What could not be measured counts as missed. */
const missed: Array<string> = []
const measure = async (row: Row): Promise<Outcome | undefined> => {
  const reason = row.skipped?.()
  if (reason !== undefined) {
    console.log(`${row.title}  [${row.name}]\n  skipped: ${reason}\n`)
    return undefined
  }
  try {
    return await run(row, form)
  } catch (error) {
    missed.push(row.name)
    console.error(`${row.title}  [${row.name}]\n  failed:`, error)
    return undefined
  }
}

const measureAll = async () => {
  for (const fact of facts()) console.log(fact.join(": "))
  console.log()
  if (values.quick) console.log("Quick: shows that all rows run; its blocks are too short to judge the figures.\n")
  for (const row of chosen) {
    const outcome = await measure(row)
    if (outcome === undefined) continue
    console.log(`${Report.section(outcome)}\n\n[${row.name}]\n`)
    if (isAlone) await Store.keep(outcome, form)
    if (outcome.isReached === false && form === "whole") missed.push(row.name)
  }
}

/** A row that misses its bound is measured once more, because the machine may have been busy. */
const measureShort = async () => {
  for (const { aim, short, ...row } of chosen) {
    if (aim === undefined || short === undefined) continue
    const loose: Row = { ...row, aim: { ...aim, max: short } }
    const first = await measure(loose)
    const outcome = first?.isReached === false ? await measure(loose) : first
    if (outcome === undefined) continue
    console.log(`${Report.line(outcome)}  [${row.name}]`)
    if (outcome.isReached !== true) missed.push(row.name)
  }
}

const writePage = async () => {
  const found = await Promise.all(rows.map((row) => Store.find(row, form)))
  const outcomes = found.filter((outcome) => outcome !== undefined)
  const lacking = names.filter((_, at) => found[at] === undefined)
  if (lacking.length > 0) console.log(`Not on the page, because never measured here: ${lacking.join(", ")}.`)
  const page = new URL(form === "quick" ? "../node_modules/.cache/bench/" : "../docs/internals/", import.meta.url)
  await writeFile(new URL("performance.md", page), Page.page(outcomes, "performance.svg"))
  await writeFile(new URL("performance.svg", page), Plot.plot(outcomes.filter(({ row }) => noticed.includes(row))))
}

if (values.list) console.log(rows.map(({ name, title }) => `${name}: ${title}`).join("\n"))
else if (unknown !== undefined) {
  console.error(`unknown row "${unknown}"; expected ${names.join(", ")}`)
  process.exitCode = 2
} else if (values.page) await writePage()
else if (form === "short") await measureShort()
else {
  await measureAll()
  if (values.only === undefined && isAlone && form === "whole") await writePage()
}
if (missed.length > 0) {
  process.exitCode = 1
  console.error(`Not reached: ${missed.join(", ")}.`)
}
