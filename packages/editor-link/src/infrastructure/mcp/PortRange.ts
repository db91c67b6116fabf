/**
 * Editors that usually listen on one of ten ports.
 */
import * as Effect from "effect/Effect"
import type { ProfileCommand } from "./ProfileCommand.ts"

/** @param first the lowest of the ports */
export const from = (first: number): Pick<ProfileCommand, "places" | "usualPlaces"> => {
  const ports = Array.from({ length: 10 }, (_, at) => first + at)
  return {
    places: () => Effect.succeed(ports.map((port) => ({ host: "127.0.0.1", port }))),
    usualPlaces: `on ${first} to ${ports.at(-1)}`,
  }
}
