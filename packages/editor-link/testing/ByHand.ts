/**
 * An MCP client by hand, over the streams of stdio: its messages are read as they are on the wire.
 */
import { PassThrough } from "node:stream"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect } from "effect"

/** What failed, for programs. */
export interface Failure {
  readonly code: string
  readonly category: string
  readonly message: string
  readonly retryable: boolean
  readonly delivery: string
  readonly editor: string
  readonly details: { readonly reason: string } & Readonly<Record<string, unknown>>
}

/** An answer of the server. */
export interface Answer {
  readonly id: number | null
  readonly error?: { readonly code: number; readonly message: string }
  readonly result?: {
    readonly isError?: boolean
    readonly content?: ReadonlyArray<{ readonly text?: string }>
    readonly structuredContent?: { readonly error?: Failure }
  }
}

/**
 * - `say`: sends a line; `answers`: all that have come, in order
 * - `begin`: calls a tool, and returns the id of the call; `answer`: waits for the answer to a request
 */
export interface ByHand {
  readonly say: (line: string) => void
  readonly answers: ReadonlyArray<Answer>
  readonly begin: (name: string, args?: object) => number
  readonly answer: (id: number) => Effect.Effect<Answer>
  /** Both. */
  readonly call: (name: string, args?: object) => Effect.Effect<Answer>
}

/** A client that has shaken hands. */
export const client = Effect.fnUntraced(function* (
  server: ToolServer,
  { name = "by hand", protocolVersion = "2025-11-25" } = {},
) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answers: Array<Answer> = []
  const waiting = new Map<number, (answer: Effect.Effect<Answer>) => void>()
  const take = (answer: Answer) => {
    answers.push(answer)
    waiting.get(answer.id ?? 0)?.(Effect.succeed(answer))
  }
  let rest = ""
  output.setEncoding("utf8").on("data", (piece: string) => {
    const lines = `${rest}${piece}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line)
      if (message.method === undefined) take(message)
    }
  })
  yield* server.session(StdioTransport.make(input, output))
  let last = 0
  const say = (line: string) => void input.write(`${line}\n`)
  const answer: ByHand["answer"] = (id) =>
    Effect.callback((resume) => {
      const found = answers.find((one) => one.id === id)
      if (found === undefined) waiting.set(id, resume)
      else resume(Effect.succeed(found))
    })
  const request = (method: string, params: object) => {
    say(JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params }))
    return last
  }
  const hello = { protocolVersion, capabilities: {}, clientInfo: { name, version: "1" } }
  yield* answer(request("initialize", hello))
  say('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  const begin: ByHand["begin"] = (name, args = {}) => request("tools/call", { name, arguments: args })
  const byHand: ByHand = { say, answers, begin, answer, call: (name, args) => answer(begin(name, args)) }
  return byHand
})

export const textOf = ({ result }: Answer): string => result?.content?.[0]?.text ?? ""

export const failureOf = ({ result }: Answer): Failure | undefined => result?.structuredContent?.error
