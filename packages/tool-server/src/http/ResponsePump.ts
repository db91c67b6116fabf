/**
 * Sends the SDK's responses to clients as streams.
 *
 * @see docs/internals/promises.md, 27
 */
import type { ServerResponse } from "node:http"
import * as JsonText from "@zain/process/JsonText"
import type { SlowReader } from "./StalledReader.ts"

/**
 * Writes a response. Resolves when all of it was written or the client has disconnected; never rejects.
 *
 * @param slow watches whether the client reads
 * @param max how many parts of the body are written; the rest is discarded
 */
export const pump = async (
  answer: Response,
  response: ServerResponse,
  slow: SlowReader,
  max = Number.POSITIVE_INFINITY,
): Promise<void> => {
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value)
  response.writeHead(answer.status)
  const reader = answer.body?.getReader()
  if (reader === undefined) return void response.end()
  response.flushHeaders()
  const cancel = () => void reader.cancel().catch(() => {})
  response.once("close", cancel)
  for (let parts = 0; parts < max; parts++) {
    const part = await reader.read().catch(() => undefined)
    if (part?.value === undefined || response.destroyed) break
    response.write(JsonText.wellFormed(part.value))
    slow.wrote()
    if (response.destroyed) break
  }
  cancel()
  response.end()
}
