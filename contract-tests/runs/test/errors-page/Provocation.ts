/**
 * A way to come to an error, and how the page shows what comes of it.
 */
import type { McpError } from "@zain/core/McpError"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** `fails`: succeeds with the error. `virtual`: its time is a test's, not the clock's. */
export interface Provocation {
  readonly title: string
  readonly fails: Effect.Effect<McpError, unknown, Scope.Scope>
  readonly virtual?: true
}

type Fails = Provocation["fails"]

export const provoke = (title: string, fails: Fails): Provocation => ({ title, fails })

export const provokeInVirtualTime = (title: string, fails: Fails): Provocation => ({ title, fails, virtual: true })

/** What differs from run to run, and what stands on the page in its place. */
const examples: ReadonlyArray<readonly [RegExp, string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "0b5b8a4c-7f0e-4d6a-9c1e-2f3a4b5c6d7e"],
  [/127\.0\.0\.1:\d+/g, "127.0.0.1:8931"],
  [/[^\s']*\/zain-errors-\w+/g, "/srv/project"],
  [/[^\s']*\/zain-\w{6}\b/g, "/tmp/zain-k3X9aQ"],
]

/** A message as the page shows it. */
export const example = (message: string): string =>
  examples
    .reduce((text, [what, shown]) => text.replace(what, shown), message)
    .replaceAll(process.execPath, "/usr/bin/node")
