/**
 * Directories and files that only their owner can read.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { ScriptedModelError } from "./ScriptedModelError.ts"
import { failure } from "./ScriptFailure.ts"

const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, ScriptedModelError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      failure("write-failed", `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause),
  })

/** Creates a directory with mode 0700; an existing one keeps its mode. Fails with `write-failed`. */
export const make = (path: string): Effect.Effect<void, ScriptedModelError> =>
  attempt(`Could not make the directory ${path}`, () => mkdir(path, { recursive: true, mode: 0o700 }))

/** Creates a directory in the system's temporary one and removes it with the Scope. Fails with `write-failed`. */
export const makeTemporary = (scope: Scope.Scope): Effect.Effect<string, ScriptedModelError> =>
  Effect.uninterruptible(
    Effect.tap(
      attempt("Could not make a temporary directory", () => mkdtemp(join(tmpdir(), "zain-"))),
      (path) =>
        Scope.addFinalizer(
          scope,
          Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))),
        ),
    ),
  )

/** Encodes a file. Options that its format cannot represent fail with `invalid-options`. */
export const textOf = <Text>(file: string, write: () => Text): Effect.Effect<Text, ScriptedModelError> =>
  Effect.try({
    try: write,
    catch: (cause) => failure("invalid-options", `The options cannot be written as ${file}: ${String(cause)}`, cause),
  })

/** Writes or replaces a file, with mode 0600. Fails with `write-failed`. */
export const write = (path: string, content: string): Effect.Effect<void, ScriptedModelError> =>
  attempt(`Could not write ${path}`, async () => {
    await writeFile(path, content, { mode: 0o600 })
    await chmod(path, 0o600)
  })
