/**
 * The size of JSON values.
 */

/** Estimates the size of a value as JSON, in bytes, without serialising it. */
export const of = (whole: unknown): number => {
  const left = [whole]
  let size = 0
  while (left.length > 0) {
    const value = left.pop()
    size += 8
    if (typeof value === "string") size += value.length
    else if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        size += key.length
        left.push(item)
      }
    }
  }
  return size
}
