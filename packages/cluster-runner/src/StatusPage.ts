/**
 * The status of a cluster for people with a browser on the runner's machine: `GET /` is a page, `GET /status` its data as
 * JSON.
 *
 * @see docs/internals/promises.md, 25
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RunnerStatus } from "./AgentRunner.ts"
import type { ClusterStatus } from "./ClusterStatus.ts"

/** How long a status is answered again, so that many readers cost the database no more than one. */
const fresh = "1 second"

/** The data of the page. */
export interface PageData {
  /** The cluster; absent if the database does not answer. */
  readonly cluster?: ClusterStatus
  /** What the runner does that serves the page. */
  readonly runner: RunnerStatus
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
  counts: () => RunnerStatus,
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

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const send = (code: number, type: string, body: string) =>
      response.writeHead(code, { ...headers, "Content-Type": `${type}; charset=utf-8` }).end(body)
    // Another site's name for 127.0.0.1 would let its pages read this one.
    if (!hosts.includes(request.headers.host ?? "")) return send(403, "text/plain", "The Host header is not allowed.\n")
    if (request.method !== "GET") return send(405, "text/plain", "Only GET is served.\n")
    if (request.url === "/") return send(200, "text/html", page)
    if (request.url !== "/status") return send(404, "text/plain", "Only / and /status are served.\n")
    return fork(Effect.map(data, (data) => send("error" in data ? 503 : 200, "application/json", JsonText.write(data))))
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
h1 { font-size: 1.25rem; margin: 0 0 1rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .5rem; margin: 0 0 1rem }
dl div { border: 1px solid #8884; border-radius: .5rem; padding: .5rem .75rem }
dt { font-size: .8rem; opacity: .75 }
dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8884; padding: .35rem .75rem .35rem 0; text-align: left; white-space: nowrap }
.gone td { color: #c22 }
#error { color: #c22; min-height: 1.5em }`

const script = `
const brief = (ms) => ms === undefined ? "–" : ms < 120000 ? Math.round(ms / 1000) + " s" : Math.round(ms / 60000) + " min"
const put = (id, text) => { document.getElementById(id).textContent = text }
const show = ({ cluster, runner, error = "" }) => {
  put("error", error)
  put("failures", runner.failures)
  if (cluster === undefined) return
  const healthy = cluster.runners.filter((one) => one.isHealthy)
  put("runners", healthy.length + " of " + cluster.runners.length)
  put("shards", cluster.runners.reduce((sum, one) => sum + one.shards, 0))
  for (const name of ["sessions", "turns", "lostTurns"]) put(name, cluster[name])
  document.querySelector("tbody").replaceChildren(...cluster.runners.map((one) => {
    const row = document.createElement("tr")
    row.className = one.isHealthy ? "" : "gone"
    const cells = [one.address, one.isHealthy ? "healthy" : "gone", one.groups.join(", "), one.shards, one.sessions,
      one.turns, brief(one.oldestTurn), brief(one.renewedAgo)]
    row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })))
    return row
  }))
}
const next = async () => {
  try { show(await (await fetch("/status")).json()) } catch { put("error", "The runner does not answer.") }
  setTimeout(next, 2000)
}
next()`

const numbers = [
  ["runners", "Runners healthy"],
  ["shards", "Shards held"],
  ["sessions", "Sessions"],
  ["turns", "Turns under way"],
  ["lostTurns", "Turns lost"],
  ["failures", "Failed turns here"],
]
const heads = ["Runner", "State", "Groups", "Shards", "Sessions", "Turns", "Oldest turn", "Renewed"]

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Zain cluster</title>
<style>${style}</style>
<h1>Zain cluster</h1>
<p id="error" role="status"></p>
<dl>${numbers.map(([id, label]) => `<div><dt>${label}</dt><dd id="${id}">–</dd></div>`).join("")}</dl>
<div class="scroll" tabindex="0"><table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody></tbody>
</table></div>
<script>${script}</script>
</html>
`

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const headers = {
  "Content-Security-Policy": `default-src 'none'; connect-src 'self'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
}
