/**
 * What an agent is asked, with holes in it.
 *
 * @see seed, prompt template
 */
import { readFile, stat } from "node:fs/promises"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/**
 * - `path`: the file of a template that replaces the packaged one
 * - `packaged`: a file of this package's `prompts`
 * - `needs`: the placeholders without which a template is of no use
 */
export interface Source {
  readonly path?: string | undefined
  readonly packaged: string
  readonly needs: ReadonlyArray<string>
}

class Unusable extends Data.TaggedError("Unusable")<{ readonly problem: string }> {}

/** The largest template, in bytes. */
const largest = 1024 * 1024

const prompts = new URL("../prompts/", import.meta.url)

/**
 * Reads a template. One that cannot be used is replaced by the packaged one, with a warning: missing, unreadable, not
 * UTF-8, over 1 MiB, or without a placeholder that it needs.
 *
 * **Example**
 *
 * ```ts
 * import { PromptTemplate } from "@zain/loopsmith"
 *
 * const source = { path: "judge.txt", packaged: "evaluation-prompt.txt", needs: ["document_content"] }
 * const template = PromptTemplate.load(source) // an Effect of the text, read when it runs
 * ```
 *
 * @see seed: `EVALUATION_PROMPT_PATH`, and the default when there is no such file
 */
export const load = ({ needs, packaged, path }: Source): Effect.Effect<string> => {
  const standard = Effect.orDie(read(new URL(packaged, prompts), needs))
  if (path === undefined) return standard
  return Effect.catchTag(read(path, needs), "Unusable", ({ problem }) =>
    Effect.andThen(Effect.logWarning(`The prompt template ${path} ${problem}. The default takes its place.`), standard),
  )
}

const read = Effect.fnUntraced(function* (file: string | URL, needs: ReadonlyArray<string>) {
  const unreadable = (cause: unknown) => new Unusable({ problem: `cannot be read: ${String(cause)}` })
  const facts = yield* Effect.tryPromise({ try: () => stat(file), catch: unreadable })
  // Reading anything else, such as a pipe, may never end.
  if (!facts.isFile()) return yield* new Unusable({ problem: "is no file" })
  if (facts.size > largest) return yield* new Unusable({ problem: `is larger than ${largest} bytes` })
  const bytes = yield* Effect.tryPromise({ try: (signal) => readFile(file, { signal }), catch: unreadable })
  const template = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new Unusable({ problem: "is not UTF-8" }),
  })
  const missing = needs.find((name) => !template.includes(`{{${name}}}`))
  if (missing !== undefined) return yield* new Unusable({ problem: `has no {{${missing}}}` })
  return template
})

/**
 * Fills the holes of a template, in one pass over the template. Values go in as they are and are never read, so a document
 * that holds `$&` or `{{placeholder}}` stays what it is. A placeholder without a value stays too.
 *
 * **Example**
 *
 * ```ts
 * import { PromptTemplate } from "@zain/loopsmith"
 *
 * PromptTemplate.render("Read {{what}}.", { what: "$& {{what}}" }) // "Read $& {{what}}."
 * ```
 */
export const render = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )

const placeholder = /\{\{(\w+)\}\}/g

/** A prompt, and what was wrong with the answer that it got before, if anything was. */
export const withProblem = (prompt: string, problem: string | undefined): string =>
  problem === undefined
    ? prompt
    : `${prompt}\n\nYou were asked this before, and your answer could not be used: ${problem}\nAnswer again, exactly as it says above.\n`
