/**
 * The languages in which tools, resources and prompts are described.
 *
 * @see seed 003, documentation in Japanese and English
 */

/** The values of `--language`. */
export const languages = ["en", "ja"] as const

/** A value of `--language`. */
export type Language = (typeof languages)[number]

/** A text in each language. */
export type Words = Readonly<Record<Language, string>>

/** Something with its description and its title in each language. */
export interface Described {
  readonly description: Words
  readonly title?: Words
}

/** The same in one language. */
export const describedIn =
  (language: Language) =>
  <A extends Described>({ description, title, ...rest }: A) => ({
    ...rest,
    description: description[language],
    ...(title === undefined ? {} : { title: title[language] }),
  })
