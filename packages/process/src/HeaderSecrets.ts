/**
 * The secrets in the headers of HTTP requests, for redaction.
 */

/**
 * In characters. A shorter value is likely a common word, and redacting it would remove that word everywhere; a header with
 * a secret's name is redacted whatever its length.
 */
const minLength = 8
const secretName = /auth|cookie|key|secret|token/i

/**
 * Returns the values of headers and the parts that a server could repeat: a token without its scheme, a user, a password.
 *
 * @param headers the values by the names of the headers
 */
export const of = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) => {
    const pieces = [value, ...value.split(/[\s,;=]+/)].filter((piece) => piece.length >= minLength)
    const basic = /^basic\s+(\S+)$/i.exec(value)?.[1]
    const pair = basic === undefined ? [] : [Buffer.from(basic, "base64").toString("utf8")]
    const whole = secretName.test(name) ? [value] : []
    return [...whole, ...pieces, ...pair, ...pair.map((both) => both.slice(both.indexOf(":") + 1))]
  })
