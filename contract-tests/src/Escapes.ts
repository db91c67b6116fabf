/**
 * Catches what escapes a case: unhandled rejections and uncaught exceptions.
 */

/**
 * Runs an operation, and records what escapes while it runs.
 *
 * @returns the operation's result, and a sentence about the first rejection or exception that escaped
 */
export const watch = async <A>(
  work: () => Promise<A>,
): Promise<{ readonly result: A; readonly escaped: string | undefined }> => {
  const escaped: Array<string> = []
  const onRejection = (cause: unknown) => void escaped.push(`A rejection escaped: ${said(cause)}`)
  const onException = (cause: unknown) => void escaped.push(`An exception escaped: ${said(cause)}`)
  process.on("unhandledRejection", onRejection)
  process.on("uncaughtException", onException)
  try {
    const result = await work()
    // Node reports a rejection after the microtasks of its turn.
    await new Promise((resolve) => setImmediate(resolve))
    return { result, escaped: escaped[0] }
  } finally {
    process.off("unhandledRejection", onRejection)
    process.off("uncaughtException", onException)
  }
}

const said = (cause: unknown) => (cause instanceof Error ? `${cause.message} (${cause.name})` : String(cause))
