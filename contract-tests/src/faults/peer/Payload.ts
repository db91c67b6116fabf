/** Messages that are large, deep, or many, which several faults send. */
import { type Asked, answerText, response } from "./Behaviour.ts"

export const mebibyte = 1024 * 1024

/** A value of twice so many levels. */
export const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`

/** Answers with a text of JSON. */
export const complete = (asked: Asked, json: string) => {
  asked.text(json)
  asked.end()
}

/** A good answer, and this value beside it. */
export const beside = (asked: Asked, json: string) => {
  const whole = `${JSON.stringify(asked.script.good).slice(0, -1)},"beside":${json}}`
  complete(asked, `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${whole}}`)
}

/** Sends an answer that is as long as this, in bytes, and is cheap to make: a busy peer would be no peer to a sibling. */
export const sized = (asked: Asked, size: number) => {
  const filler = "zain-filler"
  const parts = JSON.stringify(response(asked.id, asked.script.saying(answerText + filler))).split(filler)
  const filling = Buffer.alloc(Math.floor(size / (parts.length - 1)), "x")
  const pieces = parts.flatMap((part, at) => (at === 0 ? [Buffer.from(part)] : [filling, Buffer.from(part)]))
  void asked.bytes(asked.frame(Buffer.concat(pieces)))
  asked.end()
}

/** Writes a whole answer in pieces of so many bytes, each by itself. */
export const inPieces = async (asked: Asked, size: number) => {
  const frame = asked.frame(JSON.stringify(response(asked.id, asked.script.good)))
  for (let at = 0; at < frame.length; at += size) {
    await asked.bytes(frame.subarray(at, at + size))
    await new Promise((resolve) => setTimeout(resolve, size === 1 ? 0 : 5))
  }
  asked.end()
}
