/**
 * Chooses the session that is ended for a new one when the maximum is reached.
 *
 * @see docs/internals/promises.md, 26 and 29
 */

interface Place {
  readonly owner: number
  readonly isAbsent: () => boolean
}

/**
 * Returns the session to end for a new one of `owner`: a session of its own, or one of the principal with the most sessions,
 * if that has more than `owner`. Only sessions of disconnected clients are chosen, since a connected one would lose its work.
 *
 * @param places the sessions, ordered by last use
 */
export const givingWay = <A extends Place>(places: ReadonlyArray<A>, owner: number): A | undefined => {
  const counts = new Map([...Map.groupBy(places, (place) => place.owner)].map(([one, held]) => [one, held.length]))
  const max = Math.max(...counts.values())
  const absent = places.filter(({ isAbsent }) => isAbsent())
  const own = absent.find((place) => place.owner === owner)
  if (own !== undefined || (counts.get(owner) ?? 0) >= max) return own
  return absent.find((place) => counts.get(place.owner) === max)
}
