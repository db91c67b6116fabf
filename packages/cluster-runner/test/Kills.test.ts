/** The program of `pnpm cluster:kills`, as a user runs it. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { expect } from "vitest"

const program = fileURLToPath(new URL("../testing/Kills.ts", import.meta.url))

test.live(
  "random kills: no prompt runs twice, none after `not-sent`, every execute ends, no process is left",
  function* () {
    const faults = ["runner killed", "runner ended", "caller killed", "database stopped"]
    const args = [...faults.flatMap((name) => ["--fault", name]), "--locks", "advisory", "--seed", "8", "--count", "4"]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, ["--conditions=zain-source", program, ...args])),
      (child) => Effect.sync(() => child.kill()),
    )
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    const output = yield* Effect.promise(() => Promise.all([text(child.stdout), text(child.stderr), ended]))
    const [out, , code] = output
    for (const name of faults) expect(out).toContain(`'${name}'`)
    expect([code, /\d+ violations/.exec(out)?.[0]]).toEqual([0, "0 violations"])
  },
)
