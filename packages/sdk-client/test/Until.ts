import { assert } from "@effect/vitest"

/** In milliseconds, shorter than the test's timeout, so that the failure shows the last value. */
const safetyTimeoutMillis = 240_000

/** Polls until the value is the expected one. */
export const until = async <A>(look: () => A | Promise<A>, due: A): Promise<void> => {
  const end = performance.now() + safetyTimeoutMillis
  for (;;) {
    const seen = await look()
    if (JSON.stringify(seen) === JSON.stringify(due)) return
    if (performance.now() > end) assert.deepStrictEqual(seen, due)
    await new Promise((resume) => setTimeout(resume, 25))
  }
}
