/**
 * Whether a text stands in another, in time linear in both whatever they are: what `String.includes` does not promise, and
 * a document of a million characters can be written so that it takes minutes.
 *
 * @param text where it is looked for
 * @param quoted what is looked for, not empty
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

/** For each beginning of a text, the longest shorter beginning that it ends with. */
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
