/**
 * The certificate authority and client certificate of an https connection, instead of the platform's.
 */
import { createHash, X509Certificate } from "node:crypto"
import type { SecureContext } from "node:tls"
import type { Parsed } from "@zain/core/McpConnectionConfig"
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The `tls` of a parsed configuration. */
export type TlsIdentity = NonNullable<Parsed["tls"]>

const plain = ({ key, ...rest }: TlsIdentity) => (key === undefined ? rest : { ...rest, key: Redacted.value(key) })

/** Returns a digest that distinguishes identities without revealing the key. */
export const fingerprint = (tls: TlsIdentity): string => {
  const { ca, cert, key } = { key: undefined, ...plain(tls) }
  return createHash("sha256")
    .update(JSON.stringify([ca, cert, key]))
    .digest("base64")
}

/**
 * Makes the options of `tls.connect`; empty without an identity.
 *
 * @returns the options, or `InvalidRequest` with reason `invalid-config`, which names the invalid member and never its value
 */
export const context = (
  tls: TlsIdentity | undefined,
): Result.Result<{ readonly secureContext?: SecureContext }, InvalidRequest> => {
  if (tls === undefined) return Result.succeed({})
  for (const name of ["ca", "cert"] as const) {
    if (tls[name] !== undefined && !isCertificate(tls[name])) return invalid(`\`tls.${name}\` is not a certificate`)
  }
  try {
    const { createSecureContext } = process.getBuiltinModule("node:tls")
    return Result.succeed({ secureContext: createSecureContext(plain(tls)) })
  } catch {
    return invalid("`tls.key` is not a private key without a passphrase, or does not match `tls.cert`")
  }
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const invalid = (what: string) => Result.fail(invalidConfig(`${what}. Set it to the text of a PEM file.`))
