/** A request that a fault has left to the healthy server. */
import { randomUUID } from "node:crypto"
import { type Behaviour, type Channel, type HttpHit, type Id, isObject, type Json } from "./Behaviour.ts"
import type { Sightings } from "./Sightings.ts"

/** `of`: what is known of the fault that it came to. `message`: its body. */
export interface Incoming {
  readonly hit: HttpHit
  readonly of: Sightings
  readonly behaviour: Behaviour
  readonly message: Json
  readonly url: URL
}

export const paramsOf = (message: Json): Json => (isObject(message["params"]) ? message["params"] : {})

export const idOf = (message: Json): Id => message["id"] as Id

export const newSession = ({ sessions }: Sightings): string => {
  const session = randomUUID()
  sessions.add(session)
  return session
}

/** Asks the client something by `send`; ends with its answer. */
export const asker =
  ({ questions }: Sightings, send: Channel["send"]): Channel["ask"] =>
  (method, params = {}) =>
    new Promise((resolve) => {
      const question = `peer-${questions.size + 1}`
      questions.set(question, resolve)
      send({ jsonrpc: "2.0", id: question, method, params })
    })
