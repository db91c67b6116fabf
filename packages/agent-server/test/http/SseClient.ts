/**
 * A client over server-sent events that writes its messages by hand.
 */
import * as Effect from "effect/Effect"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"

/** A client whose session has begun; `answer` waits for what is said under an id. */
export const session = (url: string, token?: string) =>
  Effect.gen(function* () {
    const raw = yield* RawClient.make(url)
    const headers = { ...Front.json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const stream = yield* raw.open({ headers })
    const path = /^data: (.*)$/m.exec(yield* stream.until("\n\n"))?.[1] ?? ""
    const post = (body: string) => raw.send({ path, headers, body })
    const answer = (id: number) =>
      Effect.map(stream.until(`"id":${id}`), (text) => Front.messages(text).find((message) => message.id === id))
    yield* post(Front.initialize(0, "2024-11-05"))
    yield* answer(0)
    yield* post(Front.notification("notifications/initialized"))
    return { raw, stream, path, post, answer, headers }
  })
