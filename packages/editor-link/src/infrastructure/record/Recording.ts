/**
 * Records the messages with an editor in a file, one a line.
 *
 * @see EditorLink, `--record`
 */
import { createWriteStream } from "node:fs"
import * as JsonText from "@zain/process/JsonText"
import type { Redactor } from "@zain/process/Redactor"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A line of a recording. `at`: in milliseconds since its beginning. */
export interface Entry {
  readonly at: number
  readonly dir: "sent" | "received"
  readonly value: unknown
}

/** The largest file, and the most that waits to be written, in bytes. */
const maxFileBytes = 2 ** 30
const maxWaitingBytes = 64 * 2 ** 20

/**
 * Writes messages to a new file that only its owner can read, until the Scope closes.
 *
 * @param mask masks secrets in a line
 * @returns takes a message; or why there is no file
 */
export const make = (
  file: string,
  mask: Redactor,
): Effect.Effect<(dir: Entry["dir"], value: unknown) => void, Error, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(opened(file), (stream) =>
      Effect.callback<void>((resume) => void stream.end(() => resume(Effect.void))),
    ),
    (stream) => {
      const begun = performance.now()
      let written = 0
      return (dir, value) => {
        const entry: Entry = { at: Math.round(performance.now() - begun), dir, value }
        const line = `${mask(JsonText.write(entry))}\n`
        written += line.length
        if (written <= maxFileBytes && stream.writableLength <= maxWaitingBytes) stream.write(line)
      }
    },
  )

const opened = (file: string) =>
  Effect.callback<ReturnType<typeof createWriteStream>, Error>((resume) => {
    const stream = createWriteStream(file, { flags: "wx", mode: 0o600 })
    stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
      const why = code === "EEXIST" ? "it exists already; name another" : (code ?? message)
      resume(Effect.fail(new Error(`Cannot record to ${file}: ${why}.`)))
    })
    stream.once("open", () => resume(Effect.succeed(stream)))
  })
