/**
 * What an agent is asked, with holes in it.
 *
 * @see seed, prompt template
 */
import { readFile, stat } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/**
 * - `path`: the file of a template that replaces the packaged one
 * - `packaged`: a file of this package's `prompts`
 * - `needs`: the placeholders without which a template is of no use
 */
export interface Source {
  readonly path?: string | undefined
  readonly packaged: "evaluation-prompt.txt" | "improvement-prompt.txt"
  readonly needs: ReadonlyArray<string>
}

/** `path`: of the template. `problem`: what is wrong with it. */
class Unusable extends Data.TaggedError("Unusable")<{ readonly path: string; readonly problem: string }> {
  override get message(): string {
    return `The prompt template ${this.path} ${this.problem}.`
  }
}

/**
 * The longest template, in characters: with the longest document in its place it still is a prompt that Codex takes, of
 * 1,048,576.
 */
export const longest = 40_000

const prompts = new URL("../prompts/", import.meta.url)

/**
 * Reads a template. One that cannot be used is replaced by the packaged one, with a warning: missing, unreadable, not
 * UTF-8, over 40,000 characters, or without a placeholder that it needs.
 *
 * @example
 * ```ts
 * import { PromptTemplate } from "@zain/loopsmith"
 *
 * // An Effect of the text, which is read when it runs.
 * const template = PromptTemplate.load({
 *   path: "judge.txt",
 *   packaged: "evaluation-prompt.txt",
 *   needs: ["document_content"],
 * })
 * ```
 *
 * @see seed: `EVALUATION_PROMPT_PATH`, and the default when there is no such file
 */
export const load = ({ needs, packaged, path }: Source): Effect.Effect<string> => {
  const standard = Effect.orDie(read(fileURLToPath(new URL(packaged, prompts)), needs))
  if (path === undefined) return standard
  return Effect.catchTag(read(path, needs), "Unusable", ({ message }) =>
    Effect.andThen(Effect.logWarning(`${message} The default takes its place.`), standard),
  )
}

const read = Effect.fnUntraced(function* (path: string, needs: ReadonlyArray<string>) {
  const unusable = (problem: string) => new Unusable({ path, problem })
  const unreadable = (cause: unknown) => unusable(`cannot be read: ${String(cause)}`)
  const facts = yield* Effect.tryPromise({ try: () => stat(path), catch: unreadable })
  // Reading anything else, such as a pipe, may never end.
  if (!facts.isFile()) return yield* unusable("is no file")
  // No character has more bytes than four.
  if (facts.size > 4 * longest) return yield* unusable(tooLong)
  const bytes = yield* Effect.tryPromise({ try: (signal) => readFile(path, { signal }), catch: unreadable })
  const template = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => unusable("is not UTF-8"),
  })
  if (template.length > longest) return yield* unusable(tooLong)
  const missing = needs.find((name) => !template.includes(`{{${name}}}`))
  if (missing !== undefined) return yield* unusable(`has no {{${missing}}}`)
  return template
})

const tooLong = `is longer than ${longest} characters`

/**
 * Fills the holes of a template, in one pass over the template. Values go in as they are and are never read, so a document
 * that holds `$&` or `{{placeholder}}` stays what it is. A placeholder without a value stays too.
 *
 * @example
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
