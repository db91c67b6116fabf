/**
 * Repairs text that is almost a JSON object, by removing comments and trailing commas and by escaping characters in strings.
 * A repair adds no value: the result has the values of the text and no others.
 */
import strip from "strip-json-comments"

/** What is wrong with a text, and on which of its lines, from 1. */
export interface Fault {
  readonly line: number
  readonly what: string
}

/**
 * Repairs a text. The work is linear in it.
 *
 * @param text from the object's opening brace to its closing one
 * @returns text that `JSON.parse` accepts if it has no other faults, and what was repaired: each kind once, with its first line
 */
export const repair = (text: string): { readonly json: string; readonly faults: ReadonlyArray<Fault> } => {
  const faults: Array<Fault> = []
  let json = text
  for (const [what, step] of steps) {
    const repaired = step(json)
    if (repaired !== json) faults.push({ line: lineAt(json, difference(json, repaired)), what })
    json = repaired
  }
  return { json, faults }
}

/** The faults of a text that `repair` does not make valid, by line: those that it repairs, and the first other one. */
export const faults = (text: string): ReadonlyArray<Fault> =>
  [...repair(text).faults.map(named), syntaxFault(text)].sort((one, other) => one.line - other.line)

/** A fault that was repaired, for a sentence. */
export const named = ({ line, what }: Fault): Fault => ({ line, what: `a ${what}` })

/** The line of an index, from 1. */
export const lineAt = (text: string, index: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1
  return line
}

const withoutComments = (text: string) => strip(text)
const withoutTrailingCommas = (text: string) => strip(text, { trailingCommas: true })

const escaped = (characters: RegExp) => (text: string) =>
  text.replace(strings, (string) => string.replace(characters, (one) => JSON.stringify(one).slice(1, -1)))

/** Also one that does not end: a search for an end that is missing, from each quotation mark, would be quadratic. */
const strings = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)/g

/** In an order in which no step changes the lines that a later one reports. */
const steps: ReadonlyArray<readonly [what: string, step: (text: string) => string]> = [
  ["comment", withoutComments],
  ["trailing comma", withoutTrailingCommas],
  ["raw tab in a string", escaped(/\t/g)],
  ["raw line break in a string", escaped(/[\n\r]/g)],
]

const difference = (text: string, other: string): number => {
  let at = 0
  while (text.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}

/** In the words of the engine, without its quotation of the text. */
const syntaxFault = (text: string): Fault => {
  // Spaces instead of the escapes: each index is one of `text`.
  const lines = withoutTrailingCommas(withoutComments(text))
    .trimEnd()
    .replace(/[\t\r]/g, " ")
    .split("\n")
  const problemOf = (count: number) => {
    try {
      JSON.parse(lines.slice(0, count).join(" "))
    } catch (cause) {
      if (cause instanceof SyntaxError) return cause.message
    }
    return ""
  }
  const problem = problemOf(lines.length)
  const [, words = "invalid JSON", index] = /^(.*?)(?: in JSON)? at position (\d+)/.exec(problem) ?? []
  const isCut = /^(Unterminated string|Unexpected end)/.test(problem) || Number(index) >= lines.join(" ").length
  if (isCut) return { line: lines.length, what: "the answer ends inside the object" }
  if (index !== undefined) return { line: lineAt(text, Number(index)), what: uncapitalized(words) }
  // The engine gives no index for a token: it is on the first line whose addition brings the message.
  const [token] = /^Unexpected token '[!-~]'/.exec(problem) ?? []
  let [line, last] = [1, token === undefined ? 1 : lines.length]
  while (line < last) {
    const middle = (line + last) >> 1
    if (problemOf(middle).startsWith("Unexpected token")) last = middle
    else line = middle + 1
  }
  return { line, what: uncapitalized(token ?? words) }
}

const uncapitalized = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
