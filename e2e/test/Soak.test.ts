import { assert, describe, it } from "@effect/vitest"
import * as Programs from "../src/Programs.ts"

const soak = (...args: ReadonlyArray<string>) => Programs.end(Programs.start("bench/soak.ts", {}, args))

describe("`pnpm soak`", () => {
  it.each(["stdio", "streamable-http", "sse"])(
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

  it("prints its usage for `--help`, and exits 2 for wrong usage", async () => {
    assert.match((await soak("--help")).stdout, /pnpm soak --transport sse/)
    const wrong = await soak("--transport", "pigeon")
    assert.strictEqual(wrong.exitCode, 2)
    assert.match(wrong.stderr, /no transport pigeon/)
  })
})
