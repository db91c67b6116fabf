/** Authorities of clusters, and the certificates of their nodes. */
import type { ClusterTls } from "@zain/cluster-client/ClusterTls"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { generate } from "selfsigned"

const day = 86_400_000

/** An authority's own certificate and key, as PEM. */
export interface Authority {
  readonly cert: string
  readonly key: string
}

/** Makes an authority; every one has the same name. */
export const authority: Effect.Effect<Authority> = Effect.promise(async () => {
  const made = await generate([{ name: "commonName", value: "zain-cluster" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "basicConstraints", cA: true, critical: true }],
  })
  return { cert: made.cert, key: made.private }
})

/** Issues a node's certificate for 127.0.0.1, valid between two days from now. */
export const issue = (ca: Authority, [from, to]: readonly [number, number] = [-1, 1]): Effect.Effect<ClusterTls> =>
  Effect.promise(async () => {
    const made = await generate([{ name: "commonName", value: "node" }], {
      keyType: "ec",
      algorithm: "sha256",
      ca,
      notBeforeDate: new Date(Date.now() + from * day),
      notAfterDate: new Date(Date.now() + to * day),
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    })
    return { cert: made.cert, key: Redacted.make(made.private), ca: ca.cert }
  })
