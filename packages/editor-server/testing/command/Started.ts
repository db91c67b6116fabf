/**
 * The command as a process with a home of its own, and what a client says to it by hand.
 */
import { fileURLToPath } from "node:url"
import { directory } from "@zain/testkit/Directory"
import { Effect } from "effect"
import { start } from "../../../agent-server/testing/ServerProcess.ts"

const program = fileURLToPath(new URL("../../dist/zain-editor-mcp.js", import.meta.url))

/** Starts it in its home, in which `prepare` may put files. */
export const run = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  prepare: (home: string) => void = () => {},
) {
  const home = yield* directory
  prepare(home)
  const started = yield* start(args, { HOME: home, ...env }, program, home)
  return { home, ...started }
})

export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "windsurf", version: "0" } },
}

export const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
})

export type Server = Effect.Success<ReturnType<typeof run>>

export const answer = (server: Server, id: number) => server.message((message) => message.id === id)

/** Shakes hands; gives the result of `initialize`. */
export const begin = Effect.fnUntraced(function* (server: Server) {
  server.send(initialize)
  const { result } = yield* answer(server, 1)
  server.send({ jsonrpc: "2.0", method: "notifications/initialized" })
  return result
})
