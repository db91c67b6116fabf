/**
 * What the other side of a client saw. By it a case waits for a prompt to arrive, and knows that one never did.
 */
import * as Effect from "effect/Effect"

/**
 * - `received`: ends once a prompt that contains this text has arrived
 * - `count`: how many prompts that contain this text have arrived; all prompts for an empty text. What comes along
 *   again as the history of a conversation does not count
 * - `cancelled`: ends once the server was told that the prompt with this text is no longer wanted
 * - `leftovers`: what still runs or lies around for a session, one line for each
 *
 * Leave out what cannot be observed, and say why in the subject's `cannot`.
 */
export interface PeerObservation {
  readonly received: (text: string) => Effect.Effect<void>
  readonly count: (text: string) => Effect.Effect<number>
  readonly cancelled?: (text: string) => Effect.Effect<void>
  readonly leftovers?: Effect.Effect<ReadonlyArray<string>>
}

/** Something that the other side saw. */
export interface Sighting {
  readonly what: "received" | "cancelled"
  readonly prompt: string
}

/**
 * The notebook of a fake agent, and the observation that reads it.
 *
 * - `saw`: call it before the agent acts on what it saw
 * - `holds`: names something that is there until the returned function is called
 */
export interface PeerRecord {
  readonly saw: (sighting: Sighting) => void
  readonly holds: (what: string) => () => void
  readonly observation: Required<PeerObservation>
}

/**
 * An empty notebook.
 *
 * @example
 * ```ts
 * import { PeerObservation } from "@zain/contract-tests"
 *
 * const record = PeerObservation.make()
 * record.saw({ what: "received", prompt: "hello" })
 * record.observation.count("hell") // an Effect of 1
 * ```
 */
export const make = (): PeerRecord => {
  const sightings: Array<Sighting> = []
  const waiting = new Set<(sighting: Sighting) => void>()
  const held = new Set<{ readonly what: string }>()

  const wait = (what: Sighting["what"], text: string) =>
    Effect.callback<void>((resume) => {
      const matches = (sighting: Sighting) => sighting.what === what && sighting.prompt.includes(text)
      if (sightings.some(matches)) return resume(Effect.void)
      const look = (sighting: Sighting) => {
        if (!matches(sighting)) return
        waiting.delete(look)
        resume(Effect.void)
      }
      waiting.add(look)
      return Effect.sync(() => waiting.delete(look))
    })

  return {
    saw: (sighting) => {
      sightings.push(sighting)
      for (const look of waiting) look(sighting)
    },
    holds: (what) => {
      const entry = { what }
      held.add(entry)
      return () => void held.delete(entry)
    },
    observation: {
      received: (text) => wait("received", text),
      cancelled: (text) => wait("cancelled", text),
      count: (text) =>
        Effect.sync(() => sightings.filter(({ prompt, what }) => what === "received" && prompt.includes(text)).length),
      leftovers: Effect.sync(() => [...held].map(({ what }) => what)),
    },
  }
}
