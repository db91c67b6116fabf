/** Large, deep and many messages, which several faults send. */
import { type Asked, answerText, response } from "./Behaviour.ts"

export const mebibyte = 1024 * 1024

/** JSON of twice this many levels. */
export const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`

/** Answers with a JSON text. */
export const complete = (asked: Asked, json: string) => {
  asked.text(json)
  asked.end()
}

/** Answers with a good answer that also holds this value. */
export const beside = (asked: Asked, json: string) => {
  const whole = `${JSON.stringify(asked.script.good).slice(0, -1)},"beside":${json}}`
  complete(asked, `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${whole}}`)
}

/** Sends an answer of this many bytes. It is cheap to make, so that the peer stays responsive to the sibling. */
export const sized = (asked: Asked, size: number) => {
  const filler = "zain-filler"
  const parts = JSON.stringify(response(asked.id, asked.script.saying(answerText + filler))).split(filler)
  const filling = Buffer.alloc(Math.floor(size / (parts.length - 1)), "x")
  const pieces = parts.flatMap((part, at) => (at === 0 ? [Buffer.from(part)] : [filling, Buffer.from(part)]))
  void asked.bytes(asked.frame(Buffer.concat(pieces)))
  asked.end()
}

/** Writes an answer in pieces of this many bytes, each in a write of its own. */
export const inPieces = async (asked: Asked, size: number) => {
  const frame = asked.frame(JSON.stringify(response(asked.id, asked.script.good)))
  for (let at = 0; at < frame.length; at += size) {
    await asked.bytes(frame.subarray(at, at + size))
    await new Promise((resolve) => setTimeout(resolve, size === 1 ? 0 : 5))
  }
  asked.end()
}
