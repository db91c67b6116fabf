import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { dialectMutants } from "./faults/DialectMutants.ts"
import { mutants } from "./faults/Mutants.ts"

const program = fileURLToPath(new URL("./programs/FaultMutants.ts", import.meta.url))

/** Milliseconds, for all mutants. It ends only what hangs. */
const safetyTimeoutMillis = 1_200_000

describe("a client that", () => {
  let said: Readonly<Record<string, ReadonlyArray<string>>> = {}

  beforeAll(async () => {
    const child = spawn(process.execPath, ["--conditions=zain-source", "--unhandled-rejections=strict", program], {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: safetyTimeoutMillis,
    })
    said = JSON.parse(await text(child.stdout)) as typeof said
  }, safetyTimeoutMillis)

  for (const { caughtBy, name, says, transport } of [...mutants, ...dialectMutants]) {
    it(`${name} fails ${caughtBy} over ${transport}`, () => {
      expect(said[name]?.join("\n")).toMatch(says)
    })
  }
})
