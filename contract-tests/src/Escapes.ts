/**
 * What escapes a case: a rejection without a handler, and an exception outside of every call.
 */

/**
 * Does something, and keeps what escapes meanwhile.
 *
 * @returns what came of it, and the first thing that escaped, for people
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
    // Node tells of a rejection once the microtasks of its turn are done.
    await new Promise((resolve) => setImmediate(resolve))
    return { result, escaped: escaped[0] }
  } finally {
    process.off("unhandledRejection", onRejection)
    process.off("uncaughtException", onException)
  }
}

const said = (cause: unknown) => (cause instanceof Error ? `${cause.message} (${cause.name})` : String(cause))
