/**
 * Fake agents behind the agent server: programs that speak Codex's and Claude Code's own protocols, and do what
 * `ContractScript` tells them to.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { DialectName } from "./FakePeer.ts"
import * as FakePeer from "./FakePeer.ts"
import { compileCache } from "./FakePeerLog.ts"
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
 * Writes the program of a fake agent into a directory. Its conversations are kept there too, so that they outlive its
 * processes.
 *
 * - `codex` is `codex app-server`, of 0.169.0
 * - `claude-code` is `claude -p` with `stream-json` both ways, of 2.1.329
 *
 * @param directory exists, and is nobody else's; whoever made it removes it
 *
 * **Example**
 *
 * ```ts
 * import { FakeAgent } from "@zain/contract-tests"
 * import * as Effect from "effect/Effect"
 *
 * Effect.runSync(FakeAgent.install("codex", "/tmp/fake")).command // "/tmp/fake/codex"
 * ```
 */
export const install = (
  agent: DialectName,
  directory: string,
  { dies = "alone" }: Options = {},
): Effect.Effect<FakeAgent> =>
  Effect.sync(() => {
    const name = agent === "codex" ? "codex" : "claude"
    const command = join(directory, name)
    const conversations = join(directory, `${name}-conversations`)
    const log = join(directory, `${name}.log`)
    mkdirSync(conversations, { recursive: true })
    writeFileSync(log, "")
    const settings = JSON.stringify({ agent, conversations, log, takesAlong: dies === "with-its-server" })
    const cache = Object.entries(compileCache()).map(([name, value]) => `${name}=${value}`)
    const words = ["env", ...cache, process.execPath, program, settings].map(quoted).join(" ")
    writeFileSync(command, `#!/bin/sh\nexec ${words} "$@"\n`)
    chmodSync(command, 0o755)
    return { command, peer: FakePeer.observe(log) }
  })

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
const program = fileURLToPath(new URL(`./FakeAgentProcess.${extension}`, import.meta.url))

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
