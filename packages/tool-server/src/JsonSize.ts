/**
 * How large a value is.
 */

/** About as many bytes as a value has as JSON, which is not made for this. */
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
