/**
 * Takes secrets out of text that people or other machines will see.
 */

/** A text without the secrets. */
export type Redactor = (text: string) => string

/** What stands in the place of a secret. */
export const redacted = "<redacted>"

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
    : (text) => values.reduce((clean, secret) => clean.replaceAll(secret, redacted), text)
}

/** How a text that repeats a secret may write it. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "")
  return [secret, json, json.replaceAll("/", "\\/"), encodeURIComponent(secret.toWellFormed()), base64]
}

/** A key of a provider or of a service, wherever it stands. */
export const keys =
  /\b(?:github_pat_\w{20,}|(?:gh[opusr]|hf|npm|glpat|shpat|lin_api|dop_v1)[_-][\w-]{16,}|(?:sk|rk|pk|xox[a-z]|xapp)[-_](?=[\w-]{0,99}\d)[\w-]{16,}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?)/g

/** What is a secret by its looks: credentials of HTTP, keys, users and passwords in URLs. */
const looks: ReadonlyArray<readonly [RegExp, string]> = [
  [keys, redacted],
  // With the name of the scheme, if it is one: a credential of one word could stand in its place. A `${name}` that a client
  // fills in is no secret.
  [
    /(authorization(?:["'\\\s]{0,4}[:=]["'\\\s]{0,4}|\s{1,8}(?=(?:Bearer|Basic)\s))(?!["'\\\s]{0,4}(?:(?:Bearer|Basic|Token|Digest)\s+)?\$\{[\w:.-]{1,99}\}(?:\s|\\?["'](?:[\s,}\]]|$)|$)))(?:[\w-]+\s+)?\S+/gi,
    `$1${redacted}`,
  ],
  // Without that word before it, only what no sentence has there.
  [/\b((?:Bearer|Basic)\s+)(?=[\w.~+/=-]*\d)[\w.~+=-][\w.~+/=-]{7,}/gi, `$1${redacted}`],
  [/(\/\/)[^\s/?#;&|<>()`'"\\]*@/g, `$1${redacted}@`],
  // A user and a password may have these characters too.
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${redacted}@`],
]

/** The same text without what has the looks of a secret. */
export const withoutLooks: Redactor = (text) =>
  looks.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), text)
