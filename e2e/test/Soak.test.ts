import { assert, describe, it } from "@effect/vitest"
import * as Programs from "../src/Programs.ts"

const soak = (...args: ReadonlyArray<string>) => Programs.end(Programs.start("bench/soak.ts", {}, args))

describe("`pnpm soak`", () => {
  it.each(["stdio", "streamable-http", "sse", "shared"])(
    "releases everything over %s in a short run (promise 13)",
    async (transport) => {
      const { exitCode, stdout } = await soak(
        "--transport",
        transport,
        "--executes",
        "500",
        "--sessions",
        "10",
        "--json",
      )
      const { figures, ...verdict } = JSON.parse(stdout)
      assert.isEmpty(figures.filter(({ ok }: { readonly ok: boolean }) => !ok))
      assert.deepInclude(verdict, { transport, ok: true })
      assert.strictEqual(exitCode, 0)
    },
  )
})
