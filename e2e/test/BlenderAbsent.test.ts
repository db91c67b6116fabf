import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Programs from "../src/Programs.ts"

/** Rows that only a real Blender proves. */
const rows = ["10", "11", "12", "13", "15", "20"].map((row) => `003.${row}`)

const files = ["Real", "Code", "Launch"].map((name) => `e2e/test/Blender${name}.test.ts`)

test.live(
  "tests that require Blender are skipped without it, and their rows are reported as unproven (editors 003.19)",
  function* () {
    const home = yield* directory
    const report = join(home, "report.json")
    const args = ["run", "--mode", "rest", "--reporter=json", `--outputFile=${report}`, ...files]
    const printed = yield* Effect.promise(() =>
      Programs.end(
        spawn(process.execPath, [join(Programs.root, "node_modules/vitest/vitest.mjs"), ...args], {
          cwd: Programs.root,
          env: { HOME: home, PATH: home },
          stdio: ["ignore", "pipe", "pipe"],
        }),
      ),
    )
    assert.strictEqual(printed.exitCode, 0, printed.stderr)
    const { numFailedTests, numPassedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"))
    assert.deepStrictEqual([numFailedTests, numPassedTests], [0, 0])
    assert.isAbove(numPendingTests, 30)
    const unproven = printed.stderr.match(/^Unproven, because blender is not installed: .+$/gm) ?? []
    for (const row of rows) assert.match(unproven.join("\n"), new RegExp(`\\b${row}\\b`))
  },
)
