/** Requests over HTTP, each on a connection of its own, for looking at a server's every answer. */

import { type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"

type Loose = Readonly<Record<string, unknown>>

/** One message of the server, as far as tests look at it. */
export interface Said extends Loose {
  readonly id?: string | number
  readonly method?: string
}

/**
 * - `rest`: the rest of the body
 * - `event`: the next event of the body; `undefined` at its end, in whatever way it ended
 * - `close`: breaks the connection
 */
export interface RawAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly rest: () => Promise<string>
  readonly event: () => Promise<{ readonly event: string; readonly data: string } | undefined>
  readonly close: () => void
}

/** A body that is no text goes as JSON. */
export const ask = (
  method: string,
  url: string,
  { body, headers = {} }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => resolve(answerOf(response)))
    sent.once("error", reject)
    sent.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body))
  })

const answerOf = (response: IncomingMessage): RawAnswer => {
  let unread = ""
  const pieces = response.iterator({ destroyOnReturn: false })
  response.setEncoding("utf8")
  const event: RawAnswer["event"] = async () => {
    for (;;) {
      const [, head, tail] = /^(.*?)\n\n(.*)$/su.exec(unread) ?? []
      if (head !== undefined && tail !== undefined) {
        unread = tail
        const [, name = "", data = ""] = /^event: (.*)\ndata: (.*)$/u.exec(head) ?? []
        return { event: name, data }
      }
      const next = await pieces.next().catch(() => ({ done: true, value: "" }))
      if (next.done === true) return undefined
      unread += next.value
    }
  }
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name]
      return typeof value === "string" ? value : undefined
    },
    rest: () => text(response),
    event,
    close: () => void response.destroy(),
  }
}

/** The messages that come before, and with, the answer to a request; all there are when the body ends without it. */
export const untilAnswered = async ({ event }: RawAnswer, id: string | number): Promise<ReadonlyArray<Said>> => {
  const messages: Array<Said> = []
  for (;;) {
    const next = await event()
    if (next === undefined) return messages
    if (next.event !== "message") continue
    const message = JSON.parse(next.data) as Said
    messages.push(message)
    if (message.id === id && message.method === undefined) return messages
  }
}

/** Uses a fake agent that listens on a port of its own. */
export const withServed = <A>(options: FakePeer.ServeOptions, use: (fake: FakePeer.Served) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(FakePeer.serve(fakeCodex, options), (fake) => Effect.promise(() => use(fake)))),
  )
