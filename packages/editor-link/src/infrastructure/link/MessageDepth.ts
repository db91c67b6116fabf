/**
 * How deep a value is nested, for editors that read no deeper JSON.
 */

/** How many objects and arrays stand in one another; not counted further than one over `max`. */
export const depthOf = (value: unknown, max: number): number => {
  if (typeof value !== "object" || value === null) return 0
  if (max <= 0) return 1
  let inner = 0
  for (const one of Object.values(value)) inner = Math.max(inner, depthOf(one, max - 1))
  return 1 + inner
}
