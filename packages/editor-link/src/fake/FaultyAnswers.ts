/**
 * The answers of a fake editor, with the faults that are set.
 */
import * as Effect from "effect/Effect"
import type { Faults } from "./EditorFault.ts"
import type { FakeConnection } from "./FakeConnection.ts"
import type { Exchange, FakeProtocol } from "./FakeProtocol.ts"

/**
 * What a fault does to the whole editor.
 *
 * - `reload`: closes everything and listens again; `quit`: closes everything
 */
export interface Upheavals {
  /** Ends when the answers that are held may go, or the connections of that time have been closed. */
  readonly held: Effect.Effect<void>
  readonly reload: Effect.Effect<void>
  readonly quit: Effect.Effect<void>
}

/** How large the text of `big-answer` is, how deep that of `deep-json`, and how many bytes `split-bytes` splits. */
const [bigText, deep, maxSplitBytes] = [8 * 2 ** 20, 1000, 4096]

type Has = (name: string) => boolean

/** Carries a request out and answers it on its connection. Ends when the answer is written, or is not coming. */
export const make = (protocol: FakeProtocol, faults: Faults, upheavals: Upheavals) => {
  const reply = Effect.fnUntraced(function* (connection: FakeConnection, exchange: Exchange) {
    const has: Has = (name) => faults.take(name, exchange.isGreeting)
    if (has("hold")) yield* upheavals.held
    if (!connection.isOpen) return
    if (has("reload-in-call")) return yield* upheavals.reload
    if (has("quit")) return yield* upheavals.quit
    if (has("silence")) return
    const text = textOf(exchange, has)
    if (has("late-answer")) return void connection.late.push(text)
    yield* Effect.forEach(connection.late.splice(0), (late) => connection.write(protocol.frame(late)))
    const before = has("twenty-list-changed") ? Array.from({ length: 20 }, protocol.aside) : []
    if (has("unknown-id")) before.push(exchange.stranger)
    const copies = has("duplicate-answer") ? 2 : 1
    for (const aside of before) yield* connection.write(protocol.frame(aside))
    for (let copy = 0; copy < copies; copy++) {
      const bytes = bytesOf(protocol, text, has)
      yield* connection.write(bytes.writes)
      if (bytes.closes) connection.end()
    }
  })
  return (connection: FakeConnection, request: unknown) =>
    Effect.suspend(() => {
      const exchange = protocol.exchange(request, connection.id)
      return exchange === undefined ? Effect.void : reply(connection, exchange)
    })
}

/** The text of the answer, or what a fault makes of it. */
const textOf = (exchange: Exchange, has: Has): string => {
  const variant = Object.keys(exchange.variants).find(has)
  if (variant !== undefined) return exchange.variants[variant] ?? exchange.answer
  if (has("no-json")) return `${exchange.answer.slice(0, -1)}, oops`
  // Nothing that makes JSON from values goes so deep everywhere.
  if (has("deep-json")) {
    return exchange.succeed("\u0001").replace('"\\u0001"', `${"[".repeat(deep)}1${"]".repeat(deep)}`)
  }
  if (has("big-answer")) return exchange.succeed({ text: "x".repeat(bigText) })
  return has("error-id-null") ? exchange.unreadable : exchange.answer
}

/** The writes of the answer, or what a fault makes of them. `closes`: whether the connection ends with them. */
const bytesOf = (protocol: FakeProtocol, text: string, has: Has) => {
  const wrong = (length: number | undefined) => ({ writes: [protocol.withLength(length, text)], closes: false })
  if (has("bad-header")) return wrong(undefined)
  if (has("negative-length")) return wrong(-1)
  if (has("huge-length")) return wrong(2 ** 31 - 1)
  if (has("zero-length")) return wrong(0)
  if (has("long-length")) return wrong(Buffer.byteLength(text) + 2 ** 20)
  const writes = [...(has("noise") ? [protocol.noise] : []), ...protocol.frame(text)]
  const whole = () => Buffer.concat(writes)
  if (has("close-mid-frame")) return { writes: [whole().subarray(0, whole().length / 2)], closes: true }
  if (has("joined-frames")) {
    const aside = () => protocol.frame(protocol.aside())
    return { writes: [Buffer.concat([...aside(), ...writes, ...aside()])], closes: false }
  }
  if (!has("split-bytes")) return { writes, closes: false }
  const bytes = whole()
  const single = Array.from(bytes.subarray(0, maxSplitBytes), (byte) => Buffer.of(byte))
  const rest = bytes.subarray(maxSplitBytes)
  return { writes: rest.length === 0 ? single : [...single, rest], closes: false }
}
