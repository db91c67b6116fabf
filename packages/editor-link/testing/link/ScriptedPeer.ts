/**
 * The other end of a link, in memory: what it was sent, and what a test has it do.
 */

import { Duration, Effect } from "effect"
import { DiscoveryError } from "../../src/domain/DomainError.ts"
import type { EditorProfile } from "../../src/domain/EditorProfile.ts"
import type { Carrier, CarrierListener, Connect } from "../../src/infrastructure/link/Carrier.ts"
import * as EditorLink from "../../src/infrastructure/link/EditorLink.ts"
import { begin, seconds } from "../domain/Calls.ts"
import { fourthEditor } from "../FourthEditor.ts"

interface Sent {
  readonly id: string
  readonly do: string
  readonly with: unknown
}

/**
 * - `sent`: the calls of all connections, in order, without greetings
 * - `attempts`: how often a connection was asked for; `connections`, `ended`: how many there were, and how many have ended
 * - `isUp`: whether connections are accepted; `takes`: how long that takes; `greets`: whether greetings are answered
 * - `greeting`: what greetings are answered
 * - `say`, `end`: the newest connection sends a message, or ends
 */
export class ScriptedPeer {
  readonly sent: Array<Sent> = []
  attempts = 0
  connections = 0
  ended = 0
  isUp = true
  takes = Duration.zero
  greets = true
  greeting: unknown = "hi"
  private listener: CarrierListener | undefined

  readonly connect: Connect = (listener) =>
    Effect.suspend(() => {
      this.attempts++
      return Effect.delay(this.accept(listener), this.takes)
    })

  private accept(listener: CarrierListener) {
    return Effect.suspend(() => {
      if (!this.isUp) {
        return Effect.fail(
          new DiscoveryError({ message: "connection refused", delivery: "not-sent", reason: "refused" }),
        )
      }
      this.connections++
      this.listener = listener
      const carrier: Carrier = { write: (text) => this.take(JSON.parse(text)), endIfPartial: () => false }
      return Effect.acquireRelease(Effect.succeed(carrier), () => Effect.sync(() => void this.ended++))
    })
  }

  private take(message: Sent) {
    if (message.do === "probe") return this.say({ pong: true })
    if (message.do !== "hi") this.sent.push(message)
    else if (this.greets) this.say({ id: message.id, ok: this.greeting })
  }

  say(message: unknown) {
    this.listener?.message(message)
  }

  /** Answers the call that was sent so manieth, from 0. */
  answer(at: number, ok: unknown) {
    this.say({ id: this.sent[at]?.id, ok })
  }

  end(seen?: string) {
    this.listener?.ended(seen)
  }

  oversize(beginning: string) {
    this.listener?.oversize(beginning, "of 9 bytes, more than 8 (--max-frame raises the limit)")
  }
}

/** A link of the fourth editor to a peer. `call`: begins a call. */
export const link = Effect.fnUntraced(function* (
  options: Partial<EditorLink.LinkOptions> = {},
  profile: Partial<EditorProfile> = {},
  peer: ScriptedPeer = new ScriptedPeer(),
) {
  const target = { host: "127.0.0.1", port: 4444 }
  const hello = { clientName: "test", isDevelopment: false, wantsProject: false }
  const link = yield* EditorLink.make(
    { ...fourthEditor, ...profile },
    { target, connect: peer.connect, hello, ...options },
  )
  const call = (method: string, { deadline = seconds(30), isRepeatable = false, params = {} } = {}) =>
    begin(link.request(method, params, { deadline, isRepeatable }))
  return { peer, link, call }
})
