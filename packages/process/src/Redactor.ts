/**
 * Removes secrets from text before it is shown, logged or sent.
 */

/**
 * Returns the given text with secrets replaced by `<redacted>`: the values that it knows, or everything that looks like
 * a secret.
 *
 * @param text the text to redact, of any length; a known secret that is cut off is not found
 */
export type Redactor = (text: string) => string

/** The text that replaces a secret in the results of every `Redactor`: `<redacted>`. */
export const redacted = "<redacted>"

/** Shorter values are not redacted: they are too likely to be a part of an ordinary word. In characters. */
const minLength = 4

/**
 * Makes a redactor of known values; without any it returns every text unchanged.
 *
 * @param secrets the values to replace, also where they are encoded as JSON, in a URL or in base64. Values of less than
 *   4 characters are ignored. Longer values are replaced first, so that a value within another leaves no rest
 */
export const make = (secrets: ReadonlyArray<string>): Redactor => {
  const values = [...new Set(secrets.flatMap(spellings))]
    .filter((secret) => secret.length >= minLength)
    .sort((a, b) => b.length - a.length)
  return values.length === 0
    ? (text) => text
    : (text) => values.reduce((clean, secret) => clean.replaceAll(secret, redacted), text)
}

/** The encodings in which a text may contain a secret. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const base64 = Buffer.from(secret)
    .toString("base64")
    .replace(/={1,2}$/, "")
  return [secret, json, json.replaceAll("/", "\\/"), encodeURIComponent(secret.toWellFormed()), base64]
}

/** Matches API keys and tokens of common providers and services, and JSON Web Tokens, from the last `eyJ` of their header. */
export const keys =
  /\b(?:github_pat_\w{20,}|(?:gh[opusr]|hf|npm|glpat|shpat|lin_api|dop_v1)[_-][\w-]{16,}|(?:sk|rk|pk|xox[a-z]|xapp)[-_](?=[\w-]{0,99}\d)[\w-]{16,}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16})|eyJ(?:(?!eyJ)[\w-]){6,}\.[\w-]{4,}(?:\.[\w-]*)?/g

/** Patterns of secrets: HTTP credentials, keys, users and passwords in URLs. */
const looks: ReadonlyArray<readonly [RegExp, string]> = [
  [keys, redacted],
  // The word after the header's name is replaced too: it may be a scheme, or a credential of one word. A `${name}` that
  // a client fills in is no secret.
  [
    /(authorization(?:["'\\\s]{0,4}[:=]["'\\\s]{0,4}|\s{1,8}(?=(?:Bearer|Basic)\s))(?!["'\\\s]{0,4}(?:(?:Bearer|Basic|Token|Digest)\s+)?\$\{[\w:.-]{1,99}\}(?:\s|\\?["'](?:[\s,}\]]|$)|$)))(?:[\w-]+\s+)?\S+/gi,
    `$1${redacted}`,
  ],
  // Without the header's name, only values that do not occur in sentences: 8 or more characters with a digit.
  [/\b((?:Bearer|Basic)\s+)(?=[\w.~+/=-]*\d)[\w.~+=-][\w.~+/=-]{7,}/gi, `$1${redacted}`],
  [/(\/\/)[^\s/?#;&|<>()`'"\\]*@/g, `$1${redacted}@`],
  // Users and passwords may contain the characters that the pattern above excludes.
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${redacted}@`],
]

/**
 * Replaces everything that looks like a secret, without knowing values: `Authorization` headers, keys, users and
 * passwords in URLs.
 */
export const withoutLooks: Redactor = (text) =>
  looks.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), text)
