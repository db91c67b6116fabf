/**
 * Observes the agent's side of a client: a case waits for a prompt to arrive, and proves that another never did.
 */
import * as Effect from "effect/Effect"

/**
 * What a subject can observe of the agent's side. Leave out `cancelled` or `leftovers` if it cannot be observed, and
 * give the reason in `cannot`.
 */
export interface PeerObservation {
  /**
   * Waits until a prompt that contains a text has reached the agent.
   *
   * @param text a text that the prompt contains, such as the `key` of a `KeyedPrompt`
   */
  readonly received: (text: string) => Effect.Effect<void>
  /**
   * Counts the prompts that have reached the agent. A prompt that arrives again as history of a conversation does not count.
   *
   * @param text a text that the prompts to count contain, such as the `key` of a `KeyedPrompt`; empty to count all
   *   prompts
   */
  readonly count: (text: string) => Effect.Effect<number>
  /**
   * Waits until the cancel of a prompt has reached the server. A subject without it lacks the capability
   * `observe-cancel`.
   *
   * @param text a text that the prompt contains, such as the `key` of a `KeyedPrompt`
   */
  readonly cancelled?: (text: string) => Effect.Effect<void>
  /**
   * Names each process, connection, request or file that exists for a session; empty if none. A subject without it
   * lacks the capability `leftovers`.
   */
  readonly leftovers?: Effect.Effect<ReadonlyArray<string>>
}

/** A prompt or a cancel that reached the agent's side. */
export interface Sighting {
  /** Whether the prompt arrived, or its cancel. */
  readonly what: "received" | "cancelled"
  /** The whole text of the prompt. */
  readonly prompt: string
}

/** The record that a fake agent writes, and the observation that reads it. */
export interface PeerRecord {
  /**
   * Records a prompt or a cancel. Call it before the agent acts on it.
   *
   * @param sighting what arrived; `observation` finds it by its `prompt`
   */
  readonly saw: (sighting: Sighting) => void
  /**
   * Adds a resource to `observation.leftovers`, and returns the function that removes it.
   *
   * @param what the resource, as a line of a report names it
   */
  readonly holds: (what: string) => () => void
  /** What the record shows of the agent's side; set it as `peer` of the `ContractSubject` under test. */
  readonly observation: Required<PeerObservation>
}

/**
 * Makes a record of what a fake agent receives, which is empty.
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
