/**
 * The in-memory agent's command as a process, connected by lines.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"

export interface ServerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** Every whole line of standard output so far. */
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  readonly send: (message: object | string) => void
  /** The next message that matches, also one that has arrived already. */
  readonly message: (isIt: (message: Message) => boolean) => Effect.Effect<Message>
  readonly exit: Effect.Effect<number | null>
}

export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

const { NODE_COMPILE_CACHE, PATH } = process.env

export const program = fileURLToPath(new URL("./fixtures/memory-mcp.ts", import.meta.url))

/** Starts the command, or another one; it is killed with the Scope. */
export const start = (
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
  command: string = program,
  cwd: string = process.cwd(),
) =>
  Effect.acquireRelease(
    Effect.sync((): ServerProcess => {
      const child = spawn(process.execPath, ["--conditions=zain-source", command, ...args], {
        stdio: ["pipe", "pipe", "pipe"],
        cwd,
        env: { PATH, NODE_COMPILE_CACHE, NO_COLOR: "1", ...env },
      })
      const lines: Array<string> = []
      const waiting = new Set<() => void>()
      let rest = ""
      let errors = ""
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        const parts = (rest + piece).split("\n")
        rest = parts.pop() ?? ""
        lines.push(...parts)
        for (const look of [...waiting]) look()
      })
      child.stderr.setEncoding("utf8").on("data", (piece: string) => {
        errors += piece
      })
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      return {
        child,
        lines,
        errors: () => errors,
        send: (message) =>
          void child.stdin.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`),
        message: (isIt) =>
          Effect.callback((resume) => {
            const look = () => {
              const found = lines.map((line): Message => JSON.parse(line)).find(isIt)
              if (found === undefined) return
              waiting.delete(look)
              resume(Effect.succeed(found))
            }
            waiting.add(look)
            look()
            return Effect.sync(() => waiting.delete(look))
          }),
        exit: Effect.promise(() => ended),
      }
    }),
    ({ child, exit }) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        exit,
      ),
  )

export const initialize = (id: number | string = "init", capabilities: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "0" } },
})

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }

export const call = (id: number | string, prompt: string, name = "memory", more: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { prompt, ...more } },
})

/** A call with a progress token, which is its id. */
export const watched = (id: number | string, prompt: string) => {
  const message = call(id, prompt)
  return { ...message, params: { ...message.params, _meta: { progressToken: id } } }
}
