/** A session with the server of `fixtures/scripted.mjs`, which writes what its calls tell it to. */
import { fileURLToPath } from "node:url"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import { client } from "./Server.ts"

const program = fileURLToPath(new URL("fixtures/scripted.mjs", import.meta.url))

/** A message as the server heard it. */
export interface Heard {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

/** A message as a line of the wire. */
export const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message })

/** A line that answers a request; `<id>` stands for that of the call under way. */
export const answer = (id: unknown, text: string): string => line({ id, result: { content: [{ type: "text", text }] } })

/**
 * - `say`: has the server write these lines during a call. It answers "done" itself, unless `keep` is set
 * - `ask`: calls a tool
 * - `heard`: every message that the server got before
 */
export const session = Effect.fnUntraced(function* (options: Omit<McpConnectionConfig.StdioOptions, "command"> = {}) {
  const adapter = yield* client
  const id = yield* adapter.openSession(
    McpConnectionConfig.stdio({ ...options, command: process.execPath, args: [program, ...(options.args ?? [])] }),
  )
  const ask = (content: string) => Effect.map(adapter.execute(id, { content }), (response) => response.content)
  const say = (lines: ReadonlyArray<string>, keep = false) => ask(`say ${JSON.stringify({ lines, keep })}`)
  const heard = Effect.map(ask("heard"), (text) => JSON.parse(text) as ReadonlyArray<Heard>)
  return { adapter, id, ask, say, heard }
})
