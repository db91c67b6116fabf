/** The peer over standard input and output. */
import * as FakeLines from "../../FakeLines.ts"
import {
  type Behaviour,
  type Channel,
  type Id,
  introduction,
  isObject,
  type Json,
  refusal,
  response,
  type Script,
  strikeMark,
  uncancellable,
} from "./Behaviour.ts"
import { asker, overChannel, paramsOf } from "./Incoming.ts"
import { note } from "./Notes.ts"

/** Serves until its input ends. */
export const serve = (behaviour: Behaviour, script: Script) => {
  const questions = new Map<string, (answer: Json) => void>()
  let first: Id | undefined

  const write = (bytes: Uint8Array | string) =>
    new Promise<void>((resolve) => void process.stdout.write(bytes, () => resolve()))
  const channel: Channel = {
    send: (message) => void write(`${JSON.stringify(message)}\n`),
    text: (json) => void write(`${json}\n`),
    frame: (json) => Buffer.concat([Buffer.from(json), Buffer.from("\n")]),
    bytes: write,
    ask: asker({ questions }, (message) => channel.send(message)),
  }

  const called = (message: Json) => {
    const text = JSON.stringify(paramsOf(message)["arguments"])
    note.call(text)
    const call = overChannel(channel, message, script, script.good)
    if (!text.includes(strikeMark)) return call.ok()
    if (behaviour.call === undefined) call.ok()
    else behaviour.call(call)
    behaviour.afterCall?.(channel, script)
  }

  const receive = (message: unknown) => {
    if (!isObject(message)) return
    const { id, method } = message
    const params = paramsOf(message)
    if (method === undefined) return questions.get(String(id))?.(message)
    if (typeof id !== "string" && typeof id !== "number") {
      if (method === "notifications/initialized") behaviour.initialized?.(channel)
      if (method === "notifications/cancelled") note.cancelled(String(params["requestId"]))
      if (method === "notifications/cancelled" && params["requestId"] === first) note.complaint(uncancellable)
      return
    }
    if (method === "tools/call") return called(message)
    if (method === "initialize") {
      first = id
      const asking = overChannel(channel, message, script, introduction(params))
      return behaviour.initialize === undefined ? asking.ok() : behaviour.initialize(asking)
    }
    if (method === "ping") return channel.send(response(id, {}))
    if (method === "tools/list") return channel.send(response(id, { tools: [] }))
    channel.send(refusal(id, { code: -32601, message: "Method not found" }))
  }

  // The client may have ended: a failed write must not end the peer.
  process.stdout.on("error", () => {})
  process.stderr.on("error", () => {})
  process.stderr.write(`started with the token ${script.secret}\n`)
  behaviour.start?.(channel, script)
  FakeLines.read(receive)
  process.stdin.on("end", behaviour.endOfInput ?? (() => process.exit(0)))
}
