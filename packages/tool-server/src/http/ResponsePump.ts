/**
 * Gives a client what the SDK answers, as it comes.
 *
 * @see promise 27
 */
import type { ServerResponse } from "node:http"
import type { SlowReader } from "./SlowReader.ts"

/**
 * Writes an answer. Resolves when all of it is on its way, or the client has gone; never rejects.
 *
 * @param slow watches whether the client reads
 * @param most how many parts of the body are written; the rest is never made
 */
export const pump = async (
  answer: Response,
  response: ServerResponse,
  slow: SlowReader,
  most = Number.POSITIVE_INFINITY,
): Promise<void> => {
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value)
  response.writeHead(answer.status)
  const reader = answer.body?.getReader()
  if (reader === undefined) return void response.end()
  response.flushHeaders()
  const cancel = () => void reader.cancel().catch(() => {})
  response.once("close", cancel)
  for (let parts = 0; parts < most; parts++) {
    const part = await reader.read().catch(() => undefined)
    if (part?.value === undefined || response.destroyed) break
    response.write(part.value)
    slow.wrote()
    if (response.destroyed) break
  }
  cancel()
  response.end()
}
