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
import * as SnippetEdits from "./SnippetEdits.ts"
import * as TextMatches from "./TextMatches.ts"

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

  edited: async (input: { readonly text: string; readonly instructions: ReadonlyArray<SnippetEdits.Instruction> }) =>
    SnippetEdits.edited(input.text, input.instructions),

  matches: async (input: { readonly text: string; readonly pattern: TextMatches.Pattern; readonly most: number }) => {
    const { most, pattern, text } = input
    const { flags, isExpression, text: wanted } = pattern
    const bare = { flags, isExpression, text: wanted, isCodeOnly: false }
    const isBare = !pattern.isCodeOnly && !pattern.container && !pattern.namespace && !pattern.identifier
    if (isBare) return TextMatches.matches(text, bare, most)
    if (TextMatches.matches(text, bare, 0).length === 0) return []
    return parsed(text, (tree) =>
      TextMatches.matches(text, pattern, most, () => ({ tree, outline: Outline.outline(tree, text) })),
    )
  },

  globbed: async (input: {
    readonly paths: ReadonlyArray<string>
    readonly include: string | undefined
    readonly exclude: string | undefined
  }) => TextMatches.globbed(input.paths, input.include, input.exclude),
}

export type Jobs = typeof jobs

/** A job by its name, and an answer. `number`: of the job. */
export interface Job {
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
