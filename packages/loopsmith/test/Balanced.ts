/**
 * Whether markup is well-formed: every element closed in its place, every attribute quoted, no stray `<` or `&`.
 */
const tokens = /<!doctype html>|<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)|(<)/g
const voids: ReadonlySet<string> = new Set(["meta"])

/** The first problem; `undefined` for well-formed markup. */
export const problemOf = (markup: string): string | undefined => {
  const open: Array<string> = []
  for (const [whole, closing, name, attributes, self, text, stray] of markup.matchAll(tokens)) {
    if (stray !== undefined) return "a stray <"
    if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(`${text ?? ""}${attributes ?? ""}`)) return `a stray & in ${whole}`
    if (name === undefined || self === "/" || voids.has(name)) continue
    if (closing === "") open.push(name)
    else if (open.pop() !== name) return `${whole} closes what is not open`
  }
  return open.length === 0 ? undefined : `${open.join(", ")} left open`
}
