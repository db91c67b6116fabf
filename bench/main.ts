/**
 * `pnpm bench [--only <row>] [--quick] [--list]`: measures rows, prints each with its figures,
 * and writes docs/internals/performance.md, a page of ratios, if it measured all.
 */
import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { type Outcome, run } from "./Contest.ts"
import { facts } from "./Machine.ts"
import * as Report from "./Report.ts"
import { rows } from "./rows.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
})
const names = rows.map(({ name }) => name)
const unknown = values.only?.find((name) => !names.includes(name))
const chosen = values.only === undefined ? rows : rows.filter(({ name }) => values.only?.includes(name))

if (values.list) console.log(rows.map(({ name, title }) => `${name}: ${title}`).join("\n"))
else if (unknown !== undefined) {
  console.error(`unknown row "${unknown}"; expected ${names.join(", ")}`)
  process.exitCode = 2
} else {
  for (const fact of facts()) console.log(fact.join(": "))
  console.log()
  if (values.quick) console.log("Quick: shows that all rows run; its blocks are too short to judge the figures.\n")
  const outcomes: Array<Outcome> = []
  const skipped: Array<string> = []
  for (const row of chosen) {
    const reason = row.skipped?.()
    if (reason !== undefined) {
      skipped.push(row.name)
      console.log(`${row.title}  [${row.name}]\n  skipped: ${reason}\n`)
      continue
    }
    try {
      const outcome = await run(row, values.quick)
      outcomes.push(outcome)
      console.log(`${Report.section(outcome)}\n\n[${row.name}]\n`)
    } catch (error) {
      process.exitCode = 1
      console.error(`${row.title}  [${row.name}]\n  failed:`, error)
    }
  }
  const missed = values.quick ? [] : outcomes.filter(({ isReached }) => isReached === false)
  if (missed.length > 0) {
    process.exitCode = 1
    console.error(`Not reached: ${missed.map(({ row }) => row.name).join(", ")}.`)
  }
  if (values.only === undefined && !values.quick && outcomes.length === rows.length) {
    const page = new URL("../docs/internals/performance.md", import.meta.url)
    await writeFile(page, Report.page(outcomes, facts(), new Date().toISOString().slice(0, 10)))
  } else if (skipped.length > 0)
    console.log(`docs/internals/performance.md is not written, because these rows were skipped: ${skipped.join(", ")}.`)
}
