/** What the peer over HTTP saw of one fault. */

import type { Json, Kind } from "./Behaviour.ts"

export interface Request {
  readonly kind: Kind
  readonly method: string
  readonly path: string
}

/**
 * - `calls`: the params of every call, as JSON
 * - `complaints`: what the client did against the rules
 * - `sessions`: those that the client has not ended
 * - `underWay`: calls that the client still waits for, or has not hung up on
 * - `questions`: what we asked of the client, and wait for
 * - `remember`: a fault's own notes
 */
export interface Sightings {
  readonly requests: Array<Request & { readonly at: number }>
  readonly calls: Array<string>
  readonly complaints: Array<string>
  readonly sessions: Set<string>
  readonly underWay: Set<unknown>
  readonly questions: Map<string, (answer: Json) => void>
  readonly remember: Record<string, unknown>
}

/**
 * What a client can be held to. `sockets`: connections that are open, of all faults; `resumes`: how far the resumptions
 * were apart, in milliseconds, the first from the call.
 */
export interface Observation {
  readonly calls: ReadonlyArray<string>
  readonly complaints: ReadonlyArray<string>
  readonly sessions: number
  readonly underWay: number
  readonly sockets: number
  readonly resumes: ReadonlyArray<number>
  readonly requests: ReadonlyArray<Request>
}

export const make = (): Sightings => ({
  requests: [],
  calls: [],
  complaints: [],
  sessions: new Set(),
  underWay: new Set(),
  questions: new Map(),
  remember: {},
})

/** Notes a request. Returns how many of its kind came before. */
export const saw = ({ requests }: Sightings, request: Request): number => {
  const before = requests.filter(({ kind }) => kind === request.kind).length
  requests.push({ ...request, at: performance.now() })
  return before
}

export const observe = (seen: Sightings, sockets: number): Observation => {
  const steps = seen.requests.filter(({ kind }) => kind === "strike" || kind === "resume")
  const resumes = steps.slice(1).map(({ at }, index) => Math.round(at - (steps[index]?.at ?? at)))
  const requests = seen.requests.map(({ at: _, ...request }) => request)
  return {
    calls: seen.calls,
    complaints: seen.complaints,
    sessions: seen.sessions.size,
    underWay: seen.underWay.size,
    sockets,
    resumes,
    requests,
  }
}
