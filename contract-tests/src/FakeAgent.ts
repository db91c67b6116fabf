/**
 * Fake agents behind an agent server: programs that speak the agents' own protocols, and do what `ContractScript` tells
 * them to.
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

/** `dies`: what an agent that is told to die takes along: nothing, or the program that started it. */
export interface Options {
  readonly dies?: "alone" | "with-its-server"
}

/** `command`: the path of the program. `peer`: what it saw, in all the processes that it ever was. */
export interface FakeAgent {
  readonly command: string
  readonly peer: Required<PeerObservation>
}

/**
 * Writes the program of a fake agent into a directory. Its conversations are stored there too, so that they outlive its
 * processes.
 *
 * @param dialect the agent's, of its adapter's package
 * @param directory exists, and belongs to the caller, who removes it
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
