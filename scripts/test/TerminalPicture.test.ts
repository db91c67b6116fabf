import { readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { file, picture } from "../terminal-picture.ts"

it("the picture on the site's first page is what the README's first program prints", () => {
  assert.strictEqual(readFileSync(file, "utf8"), picture())
  assert.include(picture(), "You are Zain.")
})
