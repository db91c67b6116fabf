/**
 * Whoever talks to LoopSmith without a client: texts as they are, and requests with any headers.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { type OutgoingHttpHeaders, request } from "node:http"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Way } from "./LoopSmithClient.ts"

/** Says a text as it is, and gives the next thing that comes back. */
export type Say = (text: string) => Promise<string>

const overStdio = (way: Way & { readonly door: "stdio" }): Effect.Effect<Say, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { args, command, cwd, env } = way.command
      return spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] })
    }),
    (child) =>
      Effect.promise(async () => {
        const ended = once(child, "exit")
        child.stdin.end()
        await ended
      }),
  ).pipe(
    Effect.map((child) => {
      const lines = createInterface({ input: child.stdout })
      return async (text) => {
        const answer = once(lines, "line")
        child.stdin.write(`${text}\n`)
        return (await answer)[0]
      }
    }),
  )

const overHttp =
  (url: string): Say =>
  async (text) => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const answer = await fetch(url, { method: "POST", headers, body: text })
    const said = await answer.text()
    return /^data: (\{.*\})$/m.exec(said)?.[1] ?? said
  }

/** What comes back may be the reason for which the server leaves. */
const overWebSocket = (url: string): Effect.Effect<Say, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<WebSocket>((resolve, reject) => {
          const socket = new WebSocket(url, "mcp")
          socket.onopen = () => resolve(socket)
          socket.onerror = () => reject(new Error("The server let nobody in."))
        }),
    ),
    (socket) => Effect.sync(() => socket.close()),
  ).pipe(
    Effect.map((socket) => (text) => {
      const answer = new Promise<string>((resolve) => {
        socket.onmessage = ({ data }) => resolve(data)
        socket.onclose = ({ code, reason }) => resolve(`${code} ${reason}`)
      })
      socket.send(text)
      return answer
    }),
  )

/** Somebody who says what they like by this way in. Gone with the Scope. */
export const sayBy = (way: Way): Effect.Effect<Say, never, Scope.Scope> => {
  if (way.door === "stdio") return overStdio(way)
  return way.door === "ws" ? overWebSocket(way.url) : Effect.succeed(overHttp(way.url))
}

/** What a request with these headers is answered with: a status, or that nobody listens there. */
export const statusOf = (url: URL, headers: OutgoingHttpHeaders): Promise<number | string> =>
  new Promise((resolve) => {
    const asking = request(url, { headers })
    asking.on("response", (answer) => resolve(answer.resume().statusCode ?? 0))
    asking.on("upgrade", (_, socket) => {
      socket.destroy()
      resolve(101)
    })
    asking.on("error", (error) => resolve("code" in error ? String(error.code) : error.message))
    asking.end()
  })
