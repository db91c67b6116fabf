/**
 * Counts and times of what a server has carried out.
 */

export interface Figures {
  readonly queries: number
  readonly mutations: number
  readonly failures: number
  readonly meanMs: number
  readonly maxMs: number
}

export interface ExecutionStats {
  readonly query: () => void
  readonly mutation: (millis: number, isFailure: boolean) => void
  readonly figures: () => Figures
}

export const make = (): ExecutionStats => {
  let queries = 0
  let mutations = 0
  let failures = 0
  let totalMs = 0
  let maxMs = 0
  return {
    query: () => {
      queries++
    },
    mutation: (millis, isFailure) => {
      mutations++
      if (isFailure) failures++
      totalMs += millis
      maxMs = Math.max(maxMs, millis)
    },
    figures: () => ({ queries, mutations, failures, meanMs: mutations === 0 ? 0 : totalMs / mutations, maxMs }),
  }
}
