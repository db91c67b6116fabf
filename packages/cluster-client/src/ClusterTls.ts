/**
 * The certificates by which the nodes of a cluster prove to each other that they belong to it.
 *
 * @see docs/guides/cluster-operations.md
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import * as CheckedFile from "@zain/process/CheckedFile"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** One node's certificates as PEM text. Runners and callers each need one: both sides of a connection are verified. */
export interface ClusterTls {
  /** The node's certificate, its intermediates appended. A runner's must have the host of its address. */
  readonly cert: string
  /** The private key of `cert`, without a passphrase. */
  readonly key: Redacted.Redacted<string>
  /** The authority of the cluster: every node that it has certified may run agents. Do not name a public one. */
  readonly ca: string
}

/** Certificates that cannot be used. No message contains the key. */
export class ClusterTlsError extends Schema.TaggedError<ClusterTlsError>()("ClusterTlsError", {
  /**
   * - `unreadable`: a file is missing, too large, or not readable; or other users can read the key
   * - `invalid`: a text is not PEM, the key is not the certificate's, or the authority has not issued the certificate
   * - `expired`: the certificate is not valid yet, or no longer
   */
  reason: Schema.Literals(["unreadable", "invalid", "expired"]),
  /** What is wrong, and the remedy. */
  message: Schema.String,
}) {}

/** The largest PEM file, in bytes. */
const maxBytes = 1024 * 1024

/** The most certificates between a node's and its authority's. */
const maxChain = 8

const fail = (reason: ClusterTlsError["reason"], message: string) =>
  Result.fail(new ClusterTlsError({ reason, message }))

/** The names of the certificates in messages, such as options of a command or paths of files. */
export type Names = Readonly<Record<keyof ClusterTls, string>>

const own: Names = { cert: "`tls.cert`", key: "`tls.key`", ca: "`tls.ca`" }

/**
 * Checks certificates before any peer sees them, since a peer that refuses one only closes the connection.
 *
 * @param tls PEM texts
 * @param now the time in milliseconds since 1970
 * @param names the names in messages
 */
export const check = (tls: ClusterTls, now: number, names: Names = own): Result.Result<ClusterTls, ClusterTlsError> =>
  Result.gen(function* () {
    const [node, ...between] = yield* certificates(tls.cert, names.cert)
    const roots = yield* certificates(tls.ca, names.ca)
    if (node === undefined || !isKeyOf(node, tls.key)) {
      return yield* fail(
        "invalid",
        `${names.key} is not the private key of ${names.cert}. Pass the pair as it was issued.`,
      )
    }
    if (now < node.validFromDate.getTime() || now >= node.validToDate.getTime()) {
      return yield* fail(
        "expired",
        `${names.cert} is valid from ${node.validFrom} to ${node.validTo}. Renew it, or check the clock of this machine.`,
      )
    }
    if (!isIssued(node, between, roots)) {
      return yield* fail(
        "invalid",
        `${names.cert} was not issued by ${names.ca}. Use a certificate of the cluster's authority, intermediates appended.`,
      )
    }
    return tls
  })

const certificates = (pem: string, name: string): Result.Result<ReadonlyArray<X509Certificate>, ClusterTlsError> => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const read = Result.try(() => blocks.map((block) => new X509Certificate(block)))
  return Result.isSuccess(read) && blocks.length > 0
    ? Result.succeed(read.success)
    : fail("invalid", `${name} is not a certificate. Use the text of a PEM file.`)
}

const isKeyOf = (certificate: X509Certificate, key: Redacted.Redacted<string>): boolean =>
  Result.getOrElse(
    Result.try(() => certificate.checkPrivateKey(createPrivateKey(Redacted.value(key)))),
    () => false,
  )

/** Follows the issuers of a certificate to an authority. */
const isIssued = (
  one: X509Certificate,
  between: ReadonlyArray<X509Certificate>,
  roots: ReadonlyArray<X509Certificate>,
  left = maxChain,
): boolean => {
  const isIssuer = (other: X509Certificate) => one.checkIssued(other) && one.verify(other.publicKey)
  const next = left > 0 ? between.find(isIssuer) : undefined
  return roots.some(isIssuer) || (next !== undefined && isIssued(next, between, roots, left - 1))
}

/**
 * Reads and checks the certificates in three files.
 *
 * @param paths the PEM files; only the key's owner and group may read it
 * @param options the names of the options that gave the paths, for messages
 */
export const read = Effect.fnUntraced(function* (
  paths: Readonly<Record<keyof ClusterTls, string>>,
  options: Names = own,
): Effect.fn.Return<ClusterTls, ClusterTlsError> {
  const texts = yield* Effect.all({
    cert: text(paths.cert, options.cert),
    key: text(paths.key, options.key, 0o007),
    ca: text(paths.ca, options.ca),
  })
  const names = {
    cert: `${options.cert} ${paths.cert}`,
    key: `${options.key} ${paths.key}`,
    ca: `${options.ca} ${paths.ca}`,
  }
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.fromResult(check({ ...texts, key: Redacted.make(texts.key) }, now, names))
})

const text = (path: string, option: string, forbidden = 0) =>
  Effect.mapError(
    CheckedFile.read(path, { maxBytes, forbidden }),
    (why) => new ClusterTlsError({ reason: "unreadable", message: `The file ${path} of ${option} ${why}` }),
  )
