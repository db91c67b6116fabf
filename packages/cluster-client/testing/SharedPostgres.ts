/** One server for the tests of a file, and a database for each test. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll } from "vitest"
import * as Postgres from "./Postgres.ts"

/** Starts the server with the first test that uses it, and ends it after the last test of the file. */
export const make = (): Effect.Effect<Postgres.Postgres> => {
  const runtime = ManagedRuntime.make(Postgres.layer)
  afterAll(() => runtime.dispose())
  return Effect.promise(() => runtime.runPromise(Postgres.Postgres))
}
