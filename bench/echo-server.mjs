// A neutral MCP server over stdio.
import { answer } from "./echo.mjs"

let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (piece) => {
  const lines = (rest + piece).split("\n")
  rest = lines.pop()
  let out = ""
  for (const line of lines) {
    answer(JSON.parse(line), (message) => {
      out += `${message}\n`
    })
  }
  if (out !== "") process.stdout.write(out)
})
process.stdin.on("end", () => process.exit(0))
