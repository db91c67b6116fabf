/**
 * The file of `--schema`.
 */
import { readFile } from "node:fs/promises"
import type { JsonSchema } from "@zain/core/McpOutput"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as WrongUsage from "../WrongUsage.ts"

const command = ["zain", "run"]

/**
 * Reads the schema; fails with wrong usage if the file cannot be read, or is not a JSON object.
 *
 * @param path relative to the working directory
 */
export const read = Effect.fnUntraced(function* (path: Option.Option<string>) {
  if (Option.isNone(path)) return undefined
  const wrong = (why: string) => WrongUsage.fail(command, `--schema ${path.value}: ${why}.`)
  const text = yield* Effect.tryPromise(() => readFile(path.value, "utf8")).pipe(
    Effect.catch(({ cause }) => wrong(`the file cannot be read (${(cause as NodeJS.ErrnoException).code})`)),
  )
  const parsed = yield* Effect.try(() => JSON.parse(text) as unknown).pipe(
    Effect.catch(({ cause }) => wrong(`the file is not JSON (${(cause as Error).message})`)),
  )
  const schema: JsonSchema | undefined = isRecord(parsed) ? parsed : undefined
  return schema ?? (yield* wrong("a JSON Schema is an object"))
})

/** A value as standard output has it. */
export const print = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`
