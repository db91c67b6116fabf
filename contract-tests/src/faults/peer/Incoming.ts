/** A request that the fault does not handle. */
import { randomUUID } from "node:crypto"
import {
  type Asked,
  type Behaviour,
  type Channel,
  type HttpHit,
  type Id,
  isObject,
  type Json,
  refusal,
  response,
  type Script,
} from "./Behaviour.ts"
import type { Sightings } from "./Sightings.ts"

/** `of`: what the fault's server has received. `message`: the body. */
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

/** A request that is answered on the server's own channel. */
export const overChannel = (channel: Channel, message: Json, script: Script, good: unknown): Asked => {
  const id = idOf(message)
  return {
    ...channel,
    ...{ id, script, params: paramsOf(message) },
    ok: () => channel.send(response(id, good)),
    result: (result) => channel.send(response(id, result)),
    error: (error) => channel.send(refusal(id, error)),
    end: () => {},
  }
}

/** Sends a request to the client; resolves with its response. */
export const asker =
  ({ questions }: Pick<Sightings, "questions">, send: Channel["send"]): Channel["ask"] =>
  (method, params = {}) =>
    new Promise((resolve) => {
      const question = `peer-${questions.size + 1}`
      questions.set(question, resolve)
      send({ jsonrpc: "2.0", id: question, method, params })
    })
