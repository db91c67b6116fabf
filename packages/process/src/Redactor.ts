/**
 * Takes secrets out of text that people or other machines will see.
 */

/** A text without the secrets. */
export type Redactor = (text: string) => string

/** A shorter value is too likely to be part of an ordinary word. */
const shortest = 4

/**
 * @param secrets the values to hide, also as JSON, URLs and base64 write them. The longest is hidden first, so that one
 *   within another leaves no rest.
 */
export const make = (secrets: ReadonlyArray<string>): Redactor => {
  const values = [...new Set(secrets.flatMap(spellings))]
    .filter((secret) => secret.length >= shortest)
    .sort((a, b) => b.length - a.length)
  return values.length === 0
    ? (text) => text
    : (text) => values.reduce((clean, secret) => clean.replaceAll(secret, "<redacted>"), text)
}

/** How a text that repeats a secret may write it. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "")
  return [secret, json, json.replaceAll("/", "\\/"), encodeURIComponent(secret.toWellFormed()), base64]
}
