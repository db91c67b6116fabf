/**
 * Clients told apart by their tokens. The tokens themselves are forgotten: their digests are enough.
 *
 * @see promise 26
 */
import { createHash, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"

/**
 * Whom a request is from.
 *
 * - `id`: the same for all requests with the same token
 * - `secret`: what only this principal and the server could know, the same after a restart; absent unless there are
 *   others to keep it from
 * - `roots`: the directories in which it may have work done, if its token names any
 */
export interface Principal {
  readonly id: number
  readonly secret?: string
  readonly roots?: ReadonlyArray<string>
}

/**
 * What a client may show.
 *
 * - `value`: the token itself
 * - `root`: a directory without links, in which its holder may have work done. One that stands twice has both
 */
export interface Token {
  readonly value: Redacted.Redacted<string>
  readonly root?: string
}

/** Everyone, where no token is asked for. */
export const anyone: Principal = { id: -1 }

/** Whose token it is. Takes the same time for every token, known or not. */
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
