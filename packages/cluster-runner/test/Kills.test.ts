/** The program of `pnpm cluster:kills`, as a user runs it. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { expect } from "vitest"

const program = fileURLToPath(new URL("../testing/Kills.ts", import.meta.url))

/** Runs the program to its end. */
const killsIn = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["--conditions=zain-source", program, ...args])),
    (child) => Effect.sync(() => child.kill()),
  )
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const [out, err] = yield* Effect.promise(() => Promise.all([text(child.stdout), text(child.stderr)]))
  return { code: yield* Effect.promise(() => ended), out, err }
})
const kills = (...args: ReadonlyArray<string>) => Effect.scoped(killsIn(...args))

test.live(
  "random kills: no prompt runs twice, none after `not-sent`, every execute ends, no process is left",
  function* () {
    const faults = ["runner killed", "runner ended by SIGTERM", "caller killed"]
    const options = [...faults.flatMap((name) => ["--fault", name]), "--locks", "advisory", "--seed", "8"]
    const { code, out } = yield* kills("--count", "3", "--json", ...options)
    const { rows, violations } = JSON.parse(out)
    expect(violations).toEqual([])
    expect(rows.map((row: { readonly fault: string; readonly events: number }) => [row.fault, row.events])).toEqual(
      faults.map((name) => [name, 1]),
    )
    expect(code).toBe(0)
  },
)

test.live.each([
  ["--fault", "runner bored", /Unknown --fault/],
  ["--count", "many", /Unexpected --count `many`; expected a number/],
] as const)("an invalid %s exits with 2 and says why", function* ([option, value, problem]) {
  const { code, err } = yield* kills(option, value)
  expect(err).toMatch(problem)
  expect(code).toBe(2)
})
