import { assert, describe, it } from "@effect/vitest"
import type * as JsonBounds from "@zain/process/JsonBounds"
import * as SseFramer from "../src/http/SseFramer.ts"

describe("the data of an event whose JSON is too much (promise 14)", () => {
  const wide = "[],".repeat(1_000)
  it.each([
    ["in one line", `data: [${wide.repeat(400)}1]\n\n`],
    ["in one line after a byte order mark", `\uFEFFdata: [${wide.repeat(400)}1]\n\n`],
    ["in many lines", `data: [\n${`data: ${wide}\n`.repeat(400)}data: 1]\n\n`],
    ["in many lines of one letter", `data: [\n${"data:[\n".repeat(600_000)}\n`],
    ["in a long line after a short one", `data: [\ndata: ${wide.repeat(400)}1]\n\n`],
  ])("is no event when it stands %s, and the next one is heard", (_, text) => {
    const said: Array<string> = []
    const listener = {
      event: (_: string, data: string) => said.push(data.slice(0, 5)),
      oversize: (excess?: JsonBounds.Excess) => said.push(`OVERSIZE ${excess}`),
      id: () => {},
      retry: () => {},
    }
    const push = SseFramer.make(64 * 1024 * 1024, listener, { maxDepth: 10_000, maxElements: 100_000 })
    const bytes = Buffer.from(`data: fine\n\n${text}data: fine\n\n`)
    for (let from = 0; from < bytes.length; from += 65_536) push(bytes.subarray(from, from + 65_536))
    assert.match(said.join(), /^fine,OVERSIZE (depth|elements),fine$/)
  })
})
