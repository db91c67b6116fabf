/**
 * How deep a value is nested, for editors that read no deeper JSON.
 */

/** How many objects and arrays stand in one another; not counted further than one over `most`. */
export const depthOf = (value: unknown, most: number): number => {
  let depth = 0
  let level: ReadonlyArray<unknown> = [value]
  while (depth <= most) {
    const inner = level.filter((one) => typeof one === "object" && one !== null)
    if (inner.length === 0) return depth
    depth++
    level = inner.flatMap((one) => Object.values(one as object))
  }
  return depth
}
