/**
 * The status of a cluster for people with a browser on the runner's machine: `GET /` is a page, `GET /status` its data as
 * JSON.
 *
 * @see docs/internals/promises.md, 25
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { stripVTControlCharacters } from "node:util"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Counts } from "./AgentRunner.ts"
import type { ClusterStatus } from "./ClusterStatus.ts"
import * as StatusTable from "./StatusTable.ts"

/** How long a status is answered again, so that many readers cost the database no more than one. */
const fresh = "1 second"

/** The data of the page. */
export interface PageData {
  /** The cluster; absent if the database does not answer. */
  readonly cluster?: ClusterStatus
  /** What the runner does that serves the page. */
  readonly runner: Counts
  /** Why there is no `cluster`. */
  readonly error?: string
}

/**
 * Serves the page on 127.0.0.1 until the Scope ends.
 *
 * @param port the port
 * @param status reads the status of the cluster
 * @param counts what this runner does now
 * @returns the URL; fails if the port cannot be used
 */
export const serve = Effect.fnUntraced(function* (
  port: number,
  status: Effect.Effect<ClusterStatus, { readonly message: string }>,
  counts: () => Counts,
): Effect.fn.Return<string, Error, Scope.Scope> {
  const read = yield* Effect.cachedWithTTL(
    Effect.match(status, {
      onSuccess: (cluster) => ({ cluster }),
      onFailure: ({ message }) => ({ error: message }),
    }),
    fresh,
  )
  const data = Effect.map(read, (read): PageData => ({ ...read, runner: counts() }))
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const hosts = ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${port}`)

  const answer = ({ headers: { host = "" }, method, url }: IncomingMessage, response: ServerResponse) => {
    const send = (code: number, type: string, body: string) =>
      response.writeHead(code, { ...headers, "Content-Type": `${type}; charset=utf-8` }).end(body)
    // Another site's name for 127.0.0.1 would let its pages read this one.
    if (!hosts.includes(host)) return send(403, "text/plain", "The Host header is not allowed.\n")
    if (method !== "GET") return send(405, "text/plain", "Only GET is served.\n")
    if (url !== "/" && url !== "/status") return send(404, "text/plain", "Only / and /status are served.\n")
    const written = Effect.map(data, (data) =>
      url === "/"
        ? send(200, "text/html", page(data))
        : send("error" in data ? 503 : 200, "application/json", JsonText.write(data)),
    )
    return fork(written)
  }
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>, Error>((resume) => {
      const server = createServer(answer)
      server.on("error", ({ message }) => resume(Effect.fail(new Error(`--status-port ${port}: ${message}`))))
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${port}/`
})

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 72rem; padding: 1rem }
h1 { font-size: 1.25rem }
p { color: #c22 }
pre { font-size: .9rem; overflow-x: auto }`

const script = `
setInterval(async () => {
  try {
    const next = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html")
    for (const name of ["p", "pre"])
      document.querySelector(name).textContent = next.querySelector(name).textContent
  } catch { document.querySelector("p").textContent = "The runner does not answer." }
}, 2000)`

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const page = ({ cluster, error = "", runner }: PageData) => {
  const table = cluster === undefined ? "" : stripVTControlCharacters(StatusTable.write(cluster))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Zain cluster</title>
<style>${style}</style>
<h1>Zain cluster</h1>
<p role="status">${escaped(error)}</p>
<pre tabindex="0">${escaped(table)}${runner.failures} failed turns at this runner</pre>
<script>${script}</script>
</html>
`
}

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const headers = {
  "Content-Security-Policy": `default-src 'none'; connect-src 'self'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
}
