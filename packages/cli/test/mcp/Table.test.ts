/**
 * Tables on terminals of every width.
 */
import { assert, describe, it } from "@effect/vitest"
import { clip, width } from "@zain/command/TextWidth"
import picocolors from "picocolors"
import * as Table from "../../src/mcp/Table.ts"

const head = ["Name", "Transport", "Server", "From"]
const rows = [
  ["github", "http", "https://api.example/mcp/with/a/long/path", "/srv/project/.mcp.json: mcpServers.github"],
  ["files", "stdio", "npx -y server", "/srv/project/.mcp.json: mcpServers.files"],
]
const lines = (columns: number, isTerminal = true) =>
  Table.inWords(head, rows, 2, { isTerminal, columns: () => columns, paint: picocolors.createColors(false) }).split(
    "\n",
  )

describe("a table on a terminal", () => {
  it("fits 40 columns, with every cell whole", () => {
    const shown = lines(40)
    assert.isEmpty(shown.filter((line) => width(line) > 40))
    assert.include(shown, "  Transport  http")
    const text = shown.map((line) => line.slice(13)).join("")
    const whole = (text + shown.join()).replaceAll(" ", "")
    for (const cell of rows.flat().slice(2)) if (cell !== "files") assert.include(whole, cell.replaceAll(" ", ""))
    // Words are not broken if they fit.
    assert.include(shown.join("\n"), "mcpServers.github")
  })

  it("has lines and columns at any width with room for them", () => {
    for (const columns of [100, 120, 200]) {
      const shown = lines(columns)
      assert.match(shown[0] ?? "", /^┌─/)
      assert.deepStrictEqual(shown.map((line) => line.slice(0, 1)).join(""), "┌│├││└")
      assert.isEmpty(shown.filter((line) => width(line) > columns))
    }
  })

  it("fits a terminal of any width", () => {
    for (let columns = 25; columns < 120; columns++)
      assert.isEmpty(lines(columns).filter((line) => width(line) > columns))
  })

  it("clips a text of 100,000 zero-width characters in bounded time", () => {
    const began = performance.now()
    assert.isAtMost(width(clip("\u200b".repeat(100_000), 80)), 80)
    assert.isBelow(performance.now() - began, 1_000)
  })

  it("is not cut in a pipe", () => {
    assert.lengthOf(lines(20, false), rows.length + 2)
  })
})
