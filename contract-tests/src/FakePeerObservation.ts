/**
 * Observes the processes of fake agents by their log.
 */
import { type FSWatcher, watch } from "node:fs"
import { basename, dirname } from "node:path"
import * as Effect from "effect/Effect"
import { isAlive, type LoggedProcess, reader } from "./FakePeerLog.ts"
import * as PeerObservation from "./PeerObservation.ts"

/**
 * Observes the fake agents that write to a log; set the result as `peer` of the `ContractSubject` under test.
 *
 * @param log the path that `command` received as `log`; the file may be missing, its directory must exist
 */
export const observe = (log: string): Required<PeerObservation.PeerObservation> => {
  const record = PeerObservation.make()
  const processes: Array<LoggedProcess> = []
  const read = reader(log)
  const look = () => {
    for (const entry of read()) {
      if ("prompt" in entry) record.saw(entry)
      else processes.push(entry)
    }
  }
  const refresh = Effect.sync(look)
  /** Reads whenever the file changes. The watch starts before the first read, so that no entry is missed. */
  const watching = <A>(wait: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.acquireUseRelease(
      Effect.sync((): FSWatcher => watch(dirname(log), (_, name) => name === basename(log) && look())),
      () => Effect.andThen(refresh, wait),
      (watcher) => Effect.sync(() => watcher.close()),
    )
  return {
    received: (text) => watching(record.observation.received(text)),
    cancelled: (text) => watching(record.observation.cancelled(text)),
    count: (text) => Effect.andThen(refresh, record.observation.count(text)),
    leftovers: Effect.map(refresh, () => processes.filter(isAlive).map(({ pid }) => `process ${pid}`)),
  }
}
