/**
 * Where a pattern stands in a text.
 */
import type { Tree } from "web-tree-sitter"
import type { Outline, Span } from "./Outline.ts"
import { typeKinds } from "./Outline.ts"

/**
 * - `container`, `namespace`, `identifier`: the type, the namespace and the declaration that a match must stand in
 */
export interface Pattern {
  /** A plain text, or the source of a regular expression. */
  readonly text: string
  readonly isExpression: boolean
  readonly flags: string
  /** Matches that begin in a comment do not count. */
  readonly isCodeOnly: boolean
  readonly container?: string
  readonly namespace?: string
  readonly identifier?: string
}

/** What a text is by its syntax. */
export interface Syntax {
  readonly tree: Tree
  readonly outline: Outline
}

/**
 * The lines with a match, from 1, in order; one more than `most` if there are more.
 *
 * @param syntax for patterns that ask for more than their text
 */
export const matches = (text: string, pattern: Pattern, most: number, syntax?: () => Syntax): ReadonlyArray<number> => {
  const lines: Array<number> = []
  let isWanted: ((at: number) => boolean) | undefined
  let [line, start] = [1, 0]
  for (const at of places(text, pattern)) {
    for (let end = text.indexOf("\n", start); end >= 0 && end < at; end = text.indexOf("\n", start)) {
      line++
      start = end + 1
    }
    if (line === lines.at(-1)) continue
    isWanted ??= syntax === undefined ? () => true : filter(pattern, syntax())
    if (isWanted(at)) lines.push(line)
    if (lines.length > most) break
  }
  return lines
}

function* places(text: string, { flags, isExpression, text: wanted }: Pattern): Generator<number> {
  if (!isExpression) {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) yield at
    return
  }
  for (const { index } of text.matchAll(new RegExp(wanted, `gm${flags}`))) yield index
}

const filter = (pattern: Pattern, { outline, tree }: Syntax): ((at: number) => boolean) => {
  const { container, identifier, isCodeOnly, namespace } = pattern
  const isFiltered = container !== undefined || identifier !== undefined || namespace !== undefined
  const comments = isCodeOnly ? commentsOf(tree) : []
  return (at) => {
    if (isWithinOne(comments, at)) return false
    if (!isFiltered) return true
    const around = outline.symbols.filter(({ span }) => at >= span.start && at < span.end)
    return (
      (container === undefined ||
        around.some(({ kind, path }) => typeKinds.has(kind) && path.at(-1) === container.split("/").at(-1))) &&
      (namespace === undefined || around.some((symbol) => symbol.namespace === namespace)) &&
      (identifier === undefined || around.some(({ path }) => path.at(-1) === identifier))
    )
  }
}

const commentsOf = ({ rootNode }: Tree): ReadonlyArray<Span> =>
  rootNode.descendantsOfType("comment").flatMap((node) => (node ? { start: node.startIndex, end: node.endIndex } : []))

/** Whether a place is in one of some spans, which are in order. */
const isWithinOne = (spans: ReadonlyArray<Span>, at: number): boolean => {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.end ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return (spans[low]?.start ?? Number.POSITIVE_INFINITY) <= at
}

/** The paths that a glob matches: `**` for any directories, `*` within a name, `?` for one character. */
export const globbed = (
  paths: ReadonlyArray<string>,
  include: string | undefined,
  exclude: string | undefined,
): ReadonlyArray<string> => {
  const [wanted, unwanted] = [include, exclude].map((glob) => (glob === undefined ? undefined : expression(glob)))
  return paths.filter((path) => wanted?.test(path) !== false && unwanted?.test(path) !== true)
}

const expression = (glob: string): RegExp =>
  new RegExp(
    `^${glob.replace(/\*\*\/|\*+|\?|[^*?]+/gs, (part) => {
      if (part === "**/") return "(?:[^/]*/)*"
      if (part === "?") return "[^/]"
      if (part.startsWith("*")) return part.length > 1 ? ".*" : "[^/]*"
      return part.replace(/[\\^$.|+()[\]{}/]/g, "\\$&")
    })}$`,
    "s",
  )
