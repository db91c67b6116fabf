/**
 * Fake agents behind an agent server: programs that speak the agents' own protocols and follow `ContractScript`.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ShellQuote from "@zain/process/ShellQuote"
import * as Effect from "effect/Effect"
import type { Settings } from "./FakeAgentProcess.ts"
import type { FakeDialect } from "./FakeDialect.ts"
import * as FakePeer from "./FakePeer.ts"
import { compileCache, programOf } from "./FakePeerLog.ts"
import type { PeerObservation } from "./PeerObservation.ts"

/** What ends when a fake agent exits. */
export interface Options {
  /** What the directive `Exit` ends: the agent alone (the default), or also the program that started it. */
  readonly dies?: "alone" | "with-its-server"
}

/** The program of a fake agent, and an observer of its processes. */
export interface FakeAgent {
  /** The path of the program, for the `command` of `local()` or the `--command` of an agent server. */
  readonly command: string
  /** What the processes of the program receive and leave behind, for `ContractSubject.peer`. */
  readonly peer: Required<PeerObservation>
}

/**
 * Writes the program of a fake agent into a directory, and stores its conversations there, so that they outlive its
 * processes.
 *
 * @param dialect the agent's dialect, such as `fakeCodex` of `@zain/codex-client/fake`
 * @param directory an existing directory; the caller removes it
 * @param options what ends with the directive `Exit`; by default the agent alone
 *
 * @example
 * ```ts
 * import { FakeAgent, type FakeDialect } from "@zain/contract-tests"
 *
 * const install = (dialect: FakeDialect.FakeDialect) => FakeAgent.install(dialect, "/tmp/fake")
 * ```
 */
export const install = (
  { agent: { command: name, module } }: FakeDialect,
  directory: string,
  { dies = "alone" }: Options = {},
): Effect.Effect<FakeAgent> =>
  Effect.sync(() => {
    const command = join(directory, name)
    const conversations = join(directory, `${name}-conversations`)
    const log = join(directory, `${name}.log`)
    mkdirSync(conversations, { recursive: true })
    writeFileSync(log, "")
    const settings: Settings = { module, conversations, log, takesAlong: dies === "with-its-server" }
    const cache = Object.entries(compileCache()).map(([key, value]) => `${key}=${value}`)
    const words = ["env", ...cache, process.execPath, ...programOf("FakeAgentProcess"), JSON.stringify(settings)]
    writeFileSync(command, `#!/bin/sh\nexec ${ShellQuote.line(words)} "$@"\n`)
    chmodSync(command, 0o755)
    return { command, peer: FakePeer.observe(log) }
  })
