/**
 * A registry on a free port of 127.0.0.1 that knows some versions of packages, and takes none.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Registry {
  readonly url: string
  /** The methods and paths of what was asked. */
  readonly asked: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** @param known the versions by the names of their packages */
export const serve = async (known: Readonly<Record<string, string>>): Promise<Registry> => {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1)
    asked.push(`${request.method} ${name}`)
    const version = known[name]
    response.writeHead(version === undefined ? 404 : 200, { "content-type": "application/json", connection: "close" })
    const dist = { tarball: "http://127.0.0.1/nothing.tgz", shasum: "0" }
    const manifest = version === undefined ? {} : { [version]: { name, version, dist } }
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: manifest }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
