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
 */
export interface Principal {
  readonly id: number
  readonly secret?: string
}

/** Everyone, where no token is asked for. */
export const anyone: Principal = { id: -1 }

/** Whose token it is. Takes the same time for every token, known or not. */
export const make = (tokens: ReadonlyArray<Redacted.Redacted<string>>): ((token: string) => Principal | undefined) => {
  const known = [...new Set(tokens.map(Redacted.value))].map((token, id) => ({
    digest: digestOf(token),
    secret: createHash("sha256").update(`zain principal\0${token}`).digest("hex"),
    id,
  }))
  const principals = known.map(({ id, secret }): Principal => (known.length < 2 ? { id } : { id, secret }))
  return (token) => {
    const digest = digestOf(token)
    const equal = known.map((candidate) => timingSafeEqual(candidate.digest, digest))
    return principals[equal.indexOf(true)]
  }
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest()
