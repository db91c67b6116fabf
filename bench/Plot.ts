/**
 * Outcomes as an image: a bar for each contestant, scaled so that the aims of all rows are one line.
 */
import { figureOf, type Outcome } from "./Contest.ts"
import { amount, measured } from "./Report.ts"
import { ours } from "./Row.ts"

const [width, left, aimAt, right] = [760, 250, 560, 670]
const [lane, bar] = [30, 18]

const style =
  "text{font:13px system-ui,sans-serif;fill:#1f2328}.card{fill:#fff}.ours{fill:#2f6feb}.other{fill:#a8b1bb}" +
  ".missed{fill:#d1242f}.aim{stroke:#1f2328;stroke-dasharray:4 3}.title{font-weight:600}" +
  "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.card{fill:#161b22}.other{fill:#6e7681}.aim{stroke:#e6edf3}}"

const escaped = (text: string) => text.replaceAll("`", "").replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const text = (x: number, y: number, content: string, kind = "") =>
  `<text x="${x}" y="${y}"${kind}>${escaped(content)}</text>`

/** One row from this height on. The bars of others are to ours as their medians are. */
const drawn = ({ isReached, results, row }: Outcome, top: number): string => {
  const mine = results.find(({ contestant }) => contestant === ours)?.[row.metric].median ?? Number.NaN
  const share = (figureOf(row, results)?.median ?? Number.NaN) / (row.aim?.max ?? Number.NaN)
  const bars = results.map((result, at) => {
    const { median } = result[row.metric]
    const long = Math.max(1, Math.min(right - left, Math.round((median / mine) * share * (aimAt - left))))
    const isOurs = result.contestant === ours
    const kind = isOurs ? (isReached === false ? "missed" : "ours") : "other"
    const y = top + lane + at * bar
    return [
      text(left - 8, y + 8, isOurs ? "Zain" : result.contestant, ' text-anchor="end"'),
      `<rect class="${kind}" x="${left}" y="${y - 3}" width="${long}" height="13"/>`,
      text(width - 16, y + 8, amount(row)(median), ' text-anchor="end"'),
    ].join("")
  })
  return text(16, top + 16, `${row.title}, ${measured(row)}`, ' class="title"') + bars.join("")
}

/** An image in light and dark, with a text for readers who do not see it. */
export const plot = (outcomes: ReadonlyArray<Outcome>): string => {
  const heights = outcomes.map(({ results }) => lane + 8 + results.length * bar)
  const height = heights.reduce((sum, each) => sum + each, 40)
  const tops = heights.map((_, at) => heights.slice(0, at).reduce((sum, each) => sum + each, 32))
  const summaries = outcomes.map(({ results, row }) => {
    const each = results.map((result) => `${result.contestant} ${amount(row)(result[row.metric].median)}`)
    return `${row.title}: ${each.join(", ")}.`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">What you notice of Zain</title><desc id="desc">${escaped(summaries.join(" "))}</desc>`,
    `<style>${style}</style><rect class="card" width="${width}" height="${height}" rx="8"/>`,
    text(aimAt, 18, "aim", ' text-anchor="middle"'),
    ...outcomes.map((outcome, at) => drawn(outcome, tops[at] ?? 0)),
    `<path class="aim" d="M${aimAt} 24V${height - 12}"/></svg>\n`,
  ].join("\n")
}
