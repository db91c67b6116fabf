/**
 * `zain run` and the login of the real agents.
 *
 * @see docs/reference/errors.md
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import type { AgentName } from "../src/AgentServers.ts"
import * as DoctorPlace from "../src/DoctorPlace.ts"

const run = (agent: AgentName, ...options: ReadonlyArray<string>) =>
  ["run", "--provider", agent].concat(options, "Say hello.")

describe("`zain run` with a real agent that is not logged in:", () => {
  test.live("Codex fails immediately with the remedy, also with --json", function* () {
    const { alive, directory, zain } = yield* DoctorPlace.make
    rmSync(join(directory, "codex/config.toml"))
    const { exitCode, stderr, stdout } = yield* zain(run("codex"), ["codex"])
    assert.deepStrictEqual([exitCode, stdout], [1, ""])
    assert.include(stderr, "Codex is not logged in.")
    const advice = 'Log in with "codex login", or see "zain doctor --provider codex".'
    assert.include(stderr, `\n  ${advice}\n`)
    const json = yield* zain(run("codex", "--json"), ["codex"])
    assert.strictEqual(json.exitCode, 1)
    assert.notInclude(json.stdout, '"retrying"')
    const last = JSON.parse(json.stdout.trimEnd().split("\n").at(-1) ?? "")
    assert.deepInclude(last, { _tag: "Result", isError: true, advice })
    assert.deepStrictEqual(alive(), [])
  })

  test.live("Codex runs if its model is at a user's own address, which may require no login", function* () {
    const { directory, model, zain } = yield* DoctorPlace.make
    const provider = `name = "Mine"\nbase_url = "${model.url}/v1"\nrequires_openai_auth = true\n`
    const config = `model_provider = "mine"\n[model_providers.mine]\n${provider}`
    writeFileSync(join(directory, "codex/config.toml"), config)
    yield* Effect.raceFirst(
      Effect.asVoid(zain(run("codex", "--timeout", "20s"), ["codex"])),
      Effect.asVoid(model.awaitRequest(() => true)),
    )
    assert.isNotEmpty(yield* model.requests)
  })
})
