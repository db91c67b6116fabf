/**
 * The log that `MCP_DEBUG` asks for: lines of JSON in a file that only its owner can read.
 *
 * @see Commands and settings; seed, 4.4
 */
import { createWriteStream, mkdirSync } from "node:fs"
import { join } from "node:path"
import * as JsonText from "@zain/process/JsonText"
import type { Redactor } from "@zain/process/Redactor"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * A line.
 *
 * - `client`, `editor`: whose call, and to which editor
 */
export interface Line {
  readonly level: "debug" | "info" | "warn" | "error"
  /** The name of the event. */
  readonly event: string
  /** The id of its call. */
  readonly call?: string
  readonly client?: string
  readonly editor?: string
  readonly detail?: string
}

export type Write = (line: Line) => void

/** Where `MCP_DEBUG` is not set. */
export const off: Write = () => {}

/** The largest file, in bytes. */
const maxFileBytes = 10_000_000

/** Whether a variable asks for something: anything but nothing, `0` and `false`. */
export const isAsked = (value: string | undefined): boolean =>
  !["", "0", "false"].includes(value?.trim().toLowerCase() ?? "")

/** Writes to a new file of a directory, which is made, until the Scope closes. Without one nothing is written. */
export const make = (directory: string, mask: Redactor): Effect.Effect<Write, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const name = `${new Date().toISOString().replace(/[:.]/g, "-")}-${process.pid}.log`
        try {
          mkdirSync(directory, { recursive: true, mode: 0o700 })
        } catch {
          return undefined
        }
        // A log that cannot be written is none.
        return createWriteStream(join(directory, name), { flags: "wx", mode: 0o600 }).on("error", () => {})
      }),
      (stream) =>
        Effect.callback<void>((resume) => {
          if (stream === undefined || stream.destroyed) resume(Effect.void)
          else stream.once("close", () => resume(Effect.void)).end()
        }),
    ),
    (stream) => {
      let written = 0
      return (line) => {
        const text = `${mask(JsonText.write({ at: new Date().toISOString(), ...line }))}\n`
        written += Buffer.byteLength(text)
        if (written <= maxFileBytes) stream?.write(text)
      }
    },
  )
