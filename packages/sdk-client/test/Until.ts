import { assert } from "@effect/vitest"

/** In milliseconds. It only ends what hangs, in time for a message that says what was seen. */
const safetyLimit = 240_000

/** Looks again and again until it sees what is due. */
export const until = async <A>(look: () => A | Promise<A>, due: A): Promise<void> => {
  const end = performance.now() + safetyLimit
  for (;;) {
    const seen = await look()
    if (JSON.stringify(seen) === JSON.stringify(due)) return
    if (performance.now() > end) assert.deepStrictEqual(seen, due)
    await new Promise((resume) => setTimeout(resume, 25))
  }
}
