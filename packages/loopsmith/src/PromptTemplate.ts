/**
 * Prompts with placeholders such as `{{document_content}}`.
 *
 * @see seed, prompt template
 */
import { readFile, stat } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** Where a template comes from, and which placeholders it must contain: the argument of `load`. */
export interface Source {
  /** The path of a template that replaces the packaged one. */
  readonly path?: string | undefined
  /** The default: a file in this package's `prompts` directory. */
  readonly packaged: "evaluation-prompt.txt" | "improvement-prompt.txt"
  /** The names of the placeholders that a template must contain, without braces. */
  readonly needs: ReadonlyArray<string>
}

class Unusable extends Data.TaggedError("Unusable")<{ readonly path: string; readonly problem: string }> {
  override get message(): string {
    return `The prompt template ${this.path} ${this.problem}.`
  }
}

/** The longest template, in characters: with the longest document, the prompt stays below Codex's limit of 1,048,576. */
export const maxTemplateLength = 40_000

const prompts = new URL("../prompts/", import.meta.url)

/**
 * Reads a template. If the file at `path` is missing, unreadable, no regular file, not UTF-8, longer than 40,000
 * characters, or lacks a required placeholder, the packaged template is used and a warning logged.
 *
 * @param source the template's path, its default, and the placeholders it must contain; a default without them is a
 *   defect
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
    Effect.andThen(Effect.logWarning(`${message} The default is used instead.`), standard),
  )
}

const read = Effect.fnUntraced(function* (path: string, needs: ReadonlyArray<string>) {
  const unusable = (problem: string) => new Unusable({ path, problem })
  const unreadable = (cause: unknown) => unusable(`cannot be read: ${String(cause)}`)
  const facts = yield* Effect.tryPromise({ try: () => stat(path), catch: unreadable })
  // Reading anything else, such as a pipe, may never end.
  if (!facts.isFile()) return yield* unusable("is not a regular file")
  // A character has at most four bytes.
  if (facts.size > 4 * maxTemplateLength) return yield* unusable(tooLong)
  const bytes = yield* Effect.tryPromise({ try: (signal) => readFile(path, { signal }), catch: unreadable })
  const template = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => unusable("is not UTF-8"),
  })
  if (template.length > maxTemplateLength) return yield* unusable(tooLong)
  const missing = needs.find((name) => !template.includes(`{{${name}}}`))
  if (missing !== undefined) return yield* unusable(`has no {{${missing}}}`)
  return template
})

const tooLong = `is longer than ${maxTemplateLength} characters`

/**
 * Replaces placeholders, in one pass over the template. Values are inserted unchanged and not scanned, so a document with
 * `$&` or `{{placeholder}}` stays intact. A placeholder without a value stays.
 *
 * @param template a text with placeholders of letters, digits and `_` in double braces
 * @param values the replacement of each placeholder, by its name without braces
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

/**
 * Appends the problem with the previous answer to a prompt.
 *
 * @param prompt the prompt without the problem, as the first attempt sent it
 * @param problem one sentence; the prompt is returned unchanged if it is `undefined`
 */
export const withProblem = (prompt: string, problem: string | undefined): string =>
  problem === undefined
    ? prompt
    : `${prompt}\n\nYou were asked this before, and your answer could not be used: ${problem}\nAnswer again, exactly as it says above.\n`
