import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import "./third-party/FiveLines.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

it("the first program of the README is `FiveLines.ts`, which runs here", () => {
  const [, printed] = /```ts\n(.*?)```/su.exec(read("../README.md")) ?? []
  expect(printed).toBe(read("./third-party/FiveLines.ts"))
  expect(printed?.trimEnd().split("\n")).toHaveLength(5)
})
