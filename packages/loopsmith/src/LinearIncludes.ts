/**
 * `text.includes(quoted)` in time linear in both. `String.includes` does not guarantee that: a crafted document of a
 * million characters makes it take minutes.
 *
 * @param text the text to search
 * @param quoted the text to find, not empty
 *
 * @see Knuth, Morris, Pratt: Fast pattern matching in strings
 */
export const linearIncludes = (text: string, quoted: string): boolean => {
  if (quoted.length > text.length) return false
  const borders = bordersOf(quoted)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    while (matched > 0 && code !== quoted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (code === quoted.charCodeAt(matched)) matched += 1
    if (matched === quoted.length) return true
  }
  return false
}

/** For each prefix of a text, the length of the longest proper prefix that is also its suffix. */
const bordersOf = (text: string): Int32Array => {
  const borders = new Int32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    while (length > 0 && code !== text.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (code === text.charCodeAt(length)) length += 1
    borders[at] = length
  }
  return borders
}
