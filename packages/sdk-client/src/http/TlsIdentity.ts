/**
 * What a connection over https identifies its server and itself by, where that is not the platform's.
 */
import { createHash, X509Certificate } from "node:crypto"
import type { SecureContext } from "node:tls"
import type { Parsed } from "@zain/core/McpConnectionConfig"
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

export type TlsIdentity = NonNullable<Parsed["tls"]>

const plain = ({ key, ...rest }: TlsIdentity) => (key === undefined ? rest : { ...rest, key: Redacted.value(key) })

/** Tells identities apart, and holds nothing of the key. */
export const fingerprint = (tls: TlsIdentity): string => {
  const { ca, cert, key } = { key: undefined, ...plain(tls) }
  return createHash("sha256")
    .update(JSON.stringify([ca, cert, key]))
    .digest("base64")
}

/**
 * What `tls.connect` needs of it; without an identity nothing.
 *
 * @returns it, or `InvalidRequest` with reason `invalid-config` and the name of what cannot be read, never its value
 */
export const context = (
  tls: TlsIdentity | undefined,
): Result.Result<{ readonly secureContext?: SecureContext }, InvalidRequest> => {
  if (tls === undefined) return Result.succeed({})
  for (const name of ["ca", "cert"] as const) {
    if (tls[name] !== undefined && !isCertificate(tls[name])) return invalid(`\`tls.${name}\` is no certificate`)
  }
  try {
    const { createSecureContext } = process.getBuiltinModule("node:tls")
    return Result.succeed({ secureContext: createSecureContext(plain(tls)) })
  } catch {
    return invalid("`tls.key` is no private key without a passphrase, or not the one of `tls.cert`")
  }
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const invalid = (what: string) => Result.fail(invalidConfig(`${what}. Give the text of a PEM file.`))
