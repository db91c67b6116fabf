/** In milliseconds. It only ends what hangs, in time for a message that says what was missing. */
const safetyLimit = 240_000

/** Looks again and again until something holds. `otherwise`: what is said if it never does. */
export const until = async (holds: () => boolean, otherwise: () => string): Promise<void> => {
  const end = performance.now() + safetyLimit
  while (!holds()) {
    if (performance.now() > end) throw new Error(otherwise())
    await new Promise((resume) => setTimeout(resume, 50))
  }
}
