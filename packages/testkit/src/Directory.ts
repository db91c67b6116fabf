/** A directory that is removed with the Scope. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

export const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "zain-test-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)
