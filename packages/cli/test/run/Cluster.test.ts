/** `zain run --cluster` before a runner of its own. */
import { assert, describe } from "@effect/vitest"
import { agents } from "@zain/agent-list/Agents"
import * as ClusterEngine from "@zain/cluster-client/ClusterEngine"
import * as EmbeddedPostgres from "@zain/cluster-client/EmbeddedPostgres"
import * as AgentRunner from "@zain/cluster-runner/AgentRunner"
import { listening } from "@zain/testkit/Listening"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"

/** Starts a runner with a fake agent, and returns how to run a prompt there. */
const cluster = Effect.fnUntraced(function* (home: Home.Home) {
  const database = yield* (yield* EmbeddedPostgres.make()).database
  const [agent = assert.fail("no agent")] = agents
  const { driver, local } = yield* Effect.promise(agent.client)
  const [, , , , command = ""] = home.prompt("codex", "")
  const codex = { driver, local: (options: object) => local({ command, options }), workspaces: { site: home.work } }
  const address = { host: "127.0.0.1", port: yield* Effect.scoped(listening(() => {})) }
  const node = ClusterEngine.runner({ database, address, leases: "advisory" })
  yield* Layer.build(Layer.provide(AgentRunner.layer({ agents: { codex } }), node))
  const url = new URL(Redacted.value(database))
  const { password } = url
  url.password = ""
  return (...args: ReadonlyArray<string>) =>
    home.run(["run", "--provider", "codex", "--cluster", url.href, ...args], { PGPASSWORD: password })
})

describe("zain run --cluster", () => {
  inHome("runs a prompt on a runner, in a workspace of its, and continues the conversation", function* (home) {
    const run = yield* cluster(home)
    const first = yield* ended(0, run("--workspace", "site", "⟦zain:say#a yes⟧"))
    assert.strictEqual(first.output(), "yes\n")
    const recalled = yield* ended(0, run("--workspace", "site", "--last", "⟦zain:recall#b⟧"))
    assert.strictEqual(recalled.output(), '["a","b"]\n')
    const lost = yield* ended(1, run("--workspace", "none", "⟦zain:say#c no⟧"))
    assert.match(lost.errors(), /must be the name of a workspace of the runner; it has: site/)
  })

  inHome.each([
    [["--cluster", "postgres://zain@127.0.0.1:1/zain", "--cwd", "."], 2, /--cwd is for an agent on this machine/],
    [["--workspace", "site"], 2, /--workspace requires --cluster/],
    [["--cluster", "postgres://zain:hunter2@127.0.0.1:1/zain"], 1, /must have no password/],
    [["--cluster", "mysql://127.0.0.1:1/zain"], 1, /takes the URL of PostgreSQL/],
    [["--cluster", "postgres://zain@127.0.0.1:1/zain"], 1, /Could not reach PostgreSQL: connection refused/],
  ] as const)("says what is wrong with %s", function* (home, [args, code, problem]) {
    const { errors } = yield* ended(code, home.run(["run", "--provider", "codex", ...args, "prompt"]))
    assert.match(errors(), problem)
    assert.notMatch(errors(), /hunter2|zain doctor/)
  })

  inHome("does not fall back to no TLS where a certificate is named", function* (home) {
    const args = ["run", "--provider", "codex", "--cluster", "postgres://zain@127.0.0.1:1/zain", "prompt"]
    const { errors } = yield* ended(1, home.run(args, { ZAIN_CLUSTER_CERT: "cert.pem" }))
    assert.match(errors(), /ZAIN_CLUSTER_CA and ZAIN_CLUSTER_KEY must be set/)
  })
})
