/** What the peer over HTTP received for one fault. */

import type { Json, Kind } from "./Behaviour.ts"

export interface Request {
  readonly kind: Kind
  readonly method: string
  readonly path: string
}

/**
 * - `calls`: the params of every call, as JSON
 * - `complaints`: the client's violations of the protocol
 * - `sessions`: those that the client has not ended
 * - `underWay`: calls whose request the client has not closed
 * - `questions`: the server's unanswered requests
 * - `remember`: a fault's own state
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
 * What the suite reads. `sockets`: the open connections of all faults. `resumes`: the milliseconds before each resumption,
 * the first counted from the call.
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

/** Records a request. Returns the number of earlier ones of its kind. */
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
