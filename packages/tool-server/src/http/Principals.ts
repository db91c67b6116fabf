/**
 * Identifies clients by their tokens. Only digests of the tokens are kept.
 *
 * @see docs/internals/promises.md, 26
 */
import { createHash, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"

/** The client of a request. */
export interface Principal {
  /** The same for every request with the same token. */
  readonly id: number
  /** A secret derived from the token, the same after a restart; absent if there is only one token. */
  readonly secret?: string
  /** The directories in which the client may let agents work, if its token names any. */
  readonly roots?: ReadonlyArray<string>
}

/** An accepted token. */
export interface Token {
  /** The token itself. */
  readonly value: Redacted.Redacted<string>
  /** A directory, without symbolic links, in which its client may let agents work. A repeated token has several. */
  readonly root?: string
}

/** The principal of every request if no token is required. */
export const anyone: Principal = { id: -1 }

/** Makes the function that identifies a token; it takes the same time for known and unknown tokens. */
export const make = (tokens: ReadonlyArray<Token>): ((token: string) => Principal | undefined) => {
  const byValue = Map.groupBy(tokens, ({ value }) => Redacted.value(value))
  const known = [...byValue].map(([token, lines], id) => ({
    digest: digestOf(token),
    secret: createHash("sha256").update(`zain principal\0${token}`).digest("hex"),
    roots: lines.flatMap(({ root }) => root ?? []),
    id,
  }))
  const principals = known.map(
    ({ id, roots, secret }): Principal => ({
      id,
      ...(known.length < 2 ? {} : { secret }),
      ...(roots.length === 0 ? {} : { roots }),
    }),
  )
  return (token) => {
    const digest = digestOf(token)
    const equal = known.map((candidate) => timingSafeEqual(candidate.digest, digest))
    return principals[equal.indexOf(true)]
  }
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest()
