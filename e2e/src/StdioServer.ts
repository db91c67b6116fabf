/**
 * A server over stdio in the middle of a call, and the ways to end it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Effect from "effect/Effect"
import type { CommandLine } from "./AgentServers.ts"
import * as Programs from "./Programs.ts"

/** What ends a server over stdio, and the exit code that it has then. */
export const ends = [
  { name: "the end of its input", exitCode: 0, end: (server: ChildProcess) => server.stdin?.end() },
  { name: "SIGTERM", exitCode: 143, end: (server: ChildProcess) => server.kill("SIGTERM") },
  { name: "SIGINT", exitCode: 130, end: (server: ChildProcess) => server.kill("SIGINT") },
] as const

/** Starts a server, and calls a tool of it. The client accepts what it is asked. The server is killed with the Scope. */
export const call = Effect.fnUntraced(function* (line: CommandLine, name: string, input: object) {
  const start = () => spawn(line.command, line.args, { ...line, stdio: ["pipe", "pipe", "inherit"] })
  const server = yield* Programs.scoped(start, "SIGKILL")
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  server.stdout.on("data", (piece) => {
    for (const [, id] of String(piece).matchAll(/"id":("?[^",}]+"?),"method":"elicitation\/create"/g)) {
      send({ id: JSON.parse(id ?? ""), result: { action: "accept" } })
    }
  })
  const clientInfo = { name: "raw", version: "1" }
  const capabilities = { elicitation: {} }
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities, clientInfo } })
  send({ method: "notifications/initialized" })
  send({ id: 2, method: "tools/call", params: { name, arguments: input } })
  return server
})

/** Ends a server in one of the ways, and returns its exit code. */
export const exitOf = (server: ChildProcess, { end }: Pick<(typeof ends)[number], "end">) =>
  Effect.promise(async () => {
    const ended = once(server, "exit")
    end(server)
    return (await ended)[0] as number | null
  })
