/**
 * Draws what the README's first program prints, as a terminal, for the first page of the site.
 *
 *   node scripts/terminal-picture.ts
 */
import { readFileSync, writeFileSync } from "node:fs"

const at = (path: string) => new URL(`../${path}`, import.meta.url)

/** Where the picture is. */
export const file = at("docs/terminal.svg")

const escaped = (text: string) => text.replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`)

/** The picture: the command of the README, and the output that its snippet has. */
export const picture = (): string => {
  const readme = readFileSync(at("README.md"), "utf8")
  const [, command = ""] = /^(node \S+)$/m.exec(readme) ?? []
  const [, output = ""] = /```text\n(.*?)```/s.exec(readme) ?? []
  const lines = [`$ ${command}`, ...output.trimEnd().split("\n"), "$ "]
  const rows = lines.map((line, row) => {
    const colour = line.startsWith("$") ? "#7ee787" : "#e6edf3"
    return `<text x="20" y="${64 + 24 * row}" fill="${colour}" xml:space="preserve">${escaped(line)}</text>`
  })
  const height = 64 + 24 * lines.length
  const lights = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, nth) => `<circle cx="${20 + 20 * nth}" cy="20" r="6" fill="${colour}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${height}" font-family="ui-monospace, monospace" font-size="16">`,
    "<title>What the first program prints</title>",
    `<rect width="640" height="${height}" rx="8" fill="#0d1117"/>`,
    ...lights,
    ...rows,
    "</svg>",
    "",
  ].join("\n")
}

if (import.meta.main) writeFileSync(file, picture())
