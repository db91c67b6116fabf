/**
 * Which session gives way to a new one where there are as many as there may be.
 *
 * @see promises 26 and 29
 */

interface Place {
  readonly owner: number
  readonly isAbsent: () => boolean
}

/**
 * Whose place a principal may have: its own client's, or one of the principal with the most, if that has more than itself.
 * A client that has no connection may come back with a new session; one that is there would lose what it does.
 *
 * @param places all that are taken, the one that was used last at the end
 */
export const givingWay = <A extends Place>(places: ReadonlyArray<A>, owner: number): A | undefined => {
  const counts = new Map([...Map.groupBy(places, (place) => place.owner)].map(([one, held]) => [one, held.length]))
  const most = Math.max(...counts.values())
  const absent = places.filter(({ isAbsent }) => isAbsent())
  const own = absent.find((place) => place.owner === owner)
  if (own !== undefined || (counts.get(owner) ?? 0) >= most) return own
  return absent.find((place) => counts.get(place.owner) === most)
}
