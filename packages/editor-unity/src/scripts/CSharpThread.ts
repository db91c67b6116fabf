/**
 * The thread in which C# is parsed and patterns are matched: a program of its own, so that whatever a project's files and a
 * client's patterns make of that neither blocks the server nor cannot be ended.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { parentPort } from "node:worker_threads"
import { Language, Parser, type Tree } from "web-tree-sitter"
import * as Occurrences from "./Occurrences.ts"
import * as Outline from "./Outline.ts"
import * as ScriptText from "./ScriptText.ts"

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
interface Syntax {
  readonly tree: Tree
  readonly outline: Outline.Outline
}

/**
 * The lines with a match, from 1, in order; one more than `max` if there are more.
 *
 * @param syntax for patterns that ask for more than their text
 */
const matches = (text: string, pattern: Pattern, max: number, syntax?: () => Syntax): ReadonlyArray<number> => {
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
    if (lines.length > max) break
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
        around.some(({ kind, path }) => Outline.typeKinds.has(kind) && path.at(-1) === container.split("/").at(-1))) &&
      (namespace === undefined || around.some((symbol) => symbol.namespace === namespace)) &&
      (identifier === undefined || around.some(({ path }) => path.at(-1) === identifier))
    )
  }
}

const commentsOf = ({ rootNode }: Tree): ReadonlyArray<Outline.Span> =>
  rootNode.descendantsOfType("comment").flatMap((node) => (node ? { start: node.startIndex, end: node.endIndex } : []))

/** Whether a place is in one of some spans, which are in order. */
const isWithinOne = (spans: ReadonlyArray<Outline.Span>, at: number): boolean => {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.end ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return (spans[low]?.start ?? Number.POSITIVE_INFINITY) <= at
}

/** The paths that a glob matches: `**` for any directories, `*` within a name, `?` for one character. */
const globbed = (
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

export interface Instruction {
  readonly operation: "delete" | "replace" | "insert"
  readonly anchor: { readonly target: string; readonly position?: "before" | "after" }
  readonly newText?: string
}

/** The edited text and where each edit is, or the first instruction whose anchor is not one place, and why. */
type Edited =
  | { readonly text: string; readonly edits: ReadonlyArray<object> }
  | { readonly at: number; readonly problem: string }

const edited = (whole: string, instructions: ReadonlyArray<Instruction>): Edited => {
  let text = whole
  const edits: Array<{ readonly operation: string; readonly line: number }> = []
  for (const [at, { anchor, newText = "", operation }] of instructions.entries()) {
    const found = once(text, anchor.target)
    if (typeof found === "string") return { at, problem: found }
    const by = operation === "delete" ? "" : ScriptText.inEndingsOf(newText, whole)
    const place = anchor.position === "before" ? found.start : found.end
    const span = operation === "insert" ? { start: place, end: place } : found
    text = ScriptText.replaced(text, [{ ...span, by }])
    edits.push({ operation, line: ScriptText.lineOf(text, span.start) })
  }
  const lines = text.split("\n")
  return { text, edits: edits.map((edit) => ({ ...edit, snippet: ScriptText.snippet(lines, edit.line, 2) })) }
}

/** Where a text stands, whatever ends its lines, if it does exactly once. */
const once = (text: string, target: string): { readonly start: number; readonly end: number } | string => {
  const plain = text.replaceAll("\r\n", "\n")
  const wanted = target.replaceAll("\r\n", "\n")
  const start = plain.indexOf(wanted)
  if (start < 0) return "does not stand"
  if (plain.indexOf(wanted, start + 1) >= 0) return "stands more than once"
  if (plain.length === text.length) return { start, end: start + wanted.length }
  const at = original(text, [start, start + wanted.length])
  return { start: at[0] ?? 0, end: at[1] ?? 0 }
}

/** The places in a text that places in it without carriage returns before line feeds come from; they are in order. */
const original = (text: string, places: ReadonlyArray<number>): ReadonlyArray<number> => {
  const found: Array<number> = []
  let removed = 0
  let next = text.indexOf("\r\n")
  for (const place of places) {
    while (next >= 0 && next - removed < place) {
      removed++
      next = text.indexOf("\r\n", next + 2)
    }
    found.push(place + removed)
  }
  return found
}

/** Beside a bundle there are the files; elsewhere, in their packages. */
const bytes = (packageName: string, name: string): Uint8Array => {
  const beside = fileURLToPath(new URL(name, import.meta.url))
  return readFileSync(existsSync(beside) ? beside : createRequire(import.meta.url).resolve(`${packageName}/${name}`))
}

type Memory = new (pages: { readonly initial: number; readonly maximum: number }) => object

/** The memory of the parser, which is not part of the heap: at most 512 MiB, in pages of 64 KiB. */
const memory = () => {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: { readonly Memory: Memory } }
  return new WebAssembly.Memory({ initial: 512, maximum: 8_192 })
}

const load = async (): Promise<Parser> => {
  const wasmBinary = bytes("web-tree-sitter", "web-tree-sitter.wasm")
  await Parser.init({ wasmBinary, wasmMemory: memory() as never })
  const parser = new Parser()
  parser.setLanguage(await Language.load(bytes("tree-sitter-c-sharp", "tree-sitter-c_sharp.wasm")))
  return parser
}

let loaded: Promise<Parser> | undefined

const parsed = async <A>(text: string, use: (tree: Tree) => A): Promise<A> => {
  loaded ??= load()
  const parser = await loaded
  const parse = () => {
    try {
      return parser.parse(text)
    } catch {
      throw new Error("it takes the C# parser more than 512 MiB. Exclude the file, or split it")
    }
  }
  const tree = parse()
  if (tree === null) throw new Error("the parser gave no tree")
  try {
    return use(tree)
  } finally {
    tree.delete()
  }
}

/** What the thread does. */
const jobs = {
  outline: ({ text }: { readonly text: string }) =>
    parsed(text, (tree) => ({ ...Outline.outline(tree, text), problems: Outline.problems(tree, text) })),

  occurrences: ({ names, text }: { readonly text: string; readonly names: ReadonlyArray<string> }) =>
    parsed(text, (tree) => {
      const outline = Outline.outline(tree, text)
      return names.map((name) => Occurrences.occurrences(tree, text, outline, name))
    }),

  edited: async (input: { readonly text: string; readonly instructions: ReadonlyArray<Instruction> }) =>
    edited(input.text, input.instructions),

  matches: async (input: { readonly text: string; readonly pattern: Pattern; readonly max: number }) => {
    const { max, pattern, text } = input
    const { flags, isExpression, text: wanted } = pattern
    const bare = { flags, isExpression, text: wanted, isCodeOnly: false }
    const isBare = !pattern.isCodeOnly && !pattern.container && !pattern.namespace && !pattern.identifier
    if (isBare) return matches(text, bare, max)
    if (matches(text, bare, 0).length === 0) return []
    return parsed(text, (tree) => matches(text, pattern, max, () => ({ tree, outline: Outline.outline(tree, text) })))
  },

  globbed: async (input: {
    readonly paths: ReadonlyArray<string>
    readonly include: string | undefined
    readonly exclude: string | undefined
  }) => globbed(input.paths, input.include, input.exclude),
}

export type Jobs = typeof jobs

/** A job by its name, and an answer. `number`: of the job. */
interface Job {
  readonly number: number
  readonly name: keyof Jobs
  readonly input: never
}
export type Answer = { readonly number: number } & (
  | { readonly output: unknown; readonly failure?: never }
  | { readonly failure: string }
)

parentPort?.on("message", async ({ input, name, number }: Job) => {
  const answer: Answer = await jobs[name](input).then(
    (output) => ({ number, output }),
    (cause: unknown) => ({ number, failure: cause instanceof Error ? cause.message : String(cause) }),
  )
  parentPort?.postMessage(answer)
})
