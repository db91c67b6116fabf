import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../packages/core/test/Test.ts"
import { agents, place, programs } from "../src/AgentServers.ts"

const run = promisify(execFile)

describe.each(agents)("`claude mcp list` in a fresh home, with the server of %s,", (agent) => {
  test.live("shows the server connected over stdio and over HTTP", function* () {
    const at = yield* place(agent)
    const { url } = yield* at.serve("http")
    const home = join(at.directory, "fresh")
    mkdirSync(home)
    const env = { PATH: process.env["PATH"], HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude"), TMPDIR: home }
    const claude = (...args: ReadonlyArray<string>) =>
      Effect.promise(() => run(programs["claude-code"], args, { cwd: home, env }))
    const { args, command, env: own } = at.command("stdio")
    const variables = Object.entries(own).flatMap(([name, value]) => ["--env", `${name}=${value}`])
    yield* claude("mcp", "add", "over-stdio", ...variables, "--", command, ...args)
    yield* claude("mcp", "add", "--transport", "http", "over-http", url)
    const { stdout } = yield* claude("mcp", "list")
    assert.match(stdout, /over-stdio: .* - ✔/)
    assert.match(stdout, /over-http: .* - ✔/)
  })
})
