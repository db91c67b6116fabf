/**
 * A simulated editor that answers calls from a recording.
 *
 * @see EditorLink, `--replay`
 */
import { readFile } from "node:fs/promises"
import { isDeepStrictEqual } from "node:util"
import { isRecord, parseObject } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Connect } from "../link/Carrier.ts"
import { hiddenToken } from "../link/Target.ts"

type Message = Readonly<Record<string, unknown>>

/** A recorded call, what it was answered, and what the editor reported until the next call. */
interface Exchange {
  readonly method: unknown
  readonly params: unknown
  readonly received: Array<Message>
  isUsed: boolean
}

/** The largest recording, in bytes. */
const maxFileBytes = 512 * 2 ** 20

const methodOf = (message: Message): unknown => message["method"] ?? message["type"]

/** @returns the calls of a recording; or why it is none */
export const read = (file: string): Effect.Effect<ReadonlyArray<Exchange>, Error> =>
  Effect.tryPromise({
    try: () => readFile(file),
    catch: (cause) => new Error(`Cannot replay ${file}: ${(cause as NodeJS.ErrnoException).code}.`),
  }).pipe(
    Effect.filterOrFail(
      (bytes) => bytes.length <= maxFileBytes,
      () => new Error(`Cannot replay ${file}: it has more than ${maxFileBytes} bytes.`),
    ),
    Effect.flatMap((bytes) => {
      const exchanges: Array<Exchange> = []
      for (const [at, line] of bytes.toString("utf8").split("\n").entries()) {
        if (line === "") continue
        const entry = parseObject(line)
        const value = entry?.["value"]
        if (!isRecord(value))
          return Effect.fail(new Error(`Cannot replay ${file}: line ${at + 1} is not a message of a recording.`))
        if (entry?.["dir"] === "sent") {
          exchanges.push({ method: methodOf(value), params: value["params"], received: [], isUsed: false })
        } else exchanges.at(-1)?.received.push(value)
      }
      return Effect.succeed(exchanges)
    }),
  )

/** Connections to a recording. Each begins anew; a call that was recorded once is answered as often as it is sent. */
export const connect =
  (recorded: ReadonlyArray<Exchange>): Connect =>
  (listener) =>
    Effect.sync(() => {
      const exchanges = recorded.map((exchange) => ({ ...exchange }))
      return {
        token: Redacted.make(hiddenToken),
        endIfPartial: () => false,
        write: (text) => {
          const message = parseObject(text) ?? {}
          const isSame = ({ method, params }: Exchange) =>
            method === methodOf(message) && isDeepStrictEqual(params, message["params"])
          const found = exchanges.find((one) => !one.isUsed && isSame(one)) ?? exchanges.findLast(isSame)
          if (found === undefined) {
            return queueMicrotask(() =>
              listener.ended(`nothing: the recording has no call ${String(methodOf(message))} with these parameters`),
            )
          }
          found.isUsed = true
          queueMicrotask(() => {
            for (const one of found.received) listener.message("id" in one ? { ...one, id: message["id"] } : one)
          })
        },
      }
    })
