/**
 * Takes secrets out of text that people or other machines will see.
 */

/** A text without the secrets. */
export type Redactor = (text: string) => string

/** A shorter value is too likely to be part of an ordinary word. */
const shortest = 4

/**
 * @param secrets the values to hide, also as JSON writes them. The longest is hidden first, so that one within another leaves no rest.
 */
export const make = (secrets: ReadonlyArray<string>): Redactor => {
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  const values = [...new Set([...secrets, ...escaped])]
    .filter((secret) => secret.length >= shortest)
    .sort((a, b) => b.length - a.length)
  return values.length === 0
    ? (text) => text
    : (text) => values.reduce((clean, secret) => clean.replaceAll(secret, "<redacted>"), text)
}
