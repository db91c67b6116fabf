/**
 * Tokens that clients need, from a file that nobody else can read.
 *
 * @see promise 26
 */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { HttpFrontError } from "./HttpFrontError.ts"

const shortest = 16

/** Of the file; nobody needs as many tokens. */
const maxBytes = 64 * 1024

const problem = (message: string) => new HttpFrontError({ reason: "token-file", message })

/**
 * Reads the tokens of a file: one on each line; empty lines and those that begin with `#` are skipped.
 *
 * @param path of a file that belongs to the user who runs this, and that others cannot read (chmod 600)
 * @returns at least one token; or `HttpFrontError` with reason `token-file`
 */
export const read = (path: string): Effect.Effect<ReadonlyArray<Redacted.Redacted<string>>, HttpFrontError> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      // A named pipe would be waited for.
      try: () => open(path, constants.O_RDONLY | constants.O_NONBLOCK),
      catch: (cause) => problem(`The token file ${path} cannot be opened (${codeOf(cause)}). Check its name.`),
    }),
    (file) => Effect.andThen(checked(path, file), tokensOf(path, file)),
    (file) => Effect.promise(() => file.close()),
  )

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "for no known reason"

const checked = (path: string, file: FileHandle) =>
  Effect.flatMap(
    Effect.promise(() => file.stat()),
    (stat) => {
      if (!stat.isFile()) return Effect.fail(problem(`The token file ${path} is no file.`))
      if (stat.size > maxBytes) return Effect.fail(problem(`The token file ${path} is too large for one.`))
      if (process.platform === "win32") return Effect.void
      if (stat.uid !== process.getuid?.())
        return Effect.fail(problem(`The token file ${path} belongs to someone else.`))
      if ((stat.mode & 0o077) === 0) return Effect.void
      return Effect.fail(problem(`Others can read or write the token file ${path}. Run: chmod 600 ${path}`))
    },
  )

const tokensOf = (path: string, file: FileHandle) =>
  Effect.flatMap(
    Effect.promise(() => file.readFile("utf8")),
    (text) => {
      const lines = text.split(/\r?\n/).map((line) => line.trim())
      const tokens = lines.flatMap((token, at) => (token === "" || token.startsWith("#") ? [] : [{ token, at }]))
      if (tokens.length === 0) return Effect.fail(problem(`The token file ${path} holds no token.`))
      const bad = tokens.find(({ token }) => token.length < shortest || !/^[!-~]+$/.test(token))
      if (bad === undefined) return Effect.succeed(tokens.map(({ token }) => Redacted.make(token)))
      const rule = `${shortest} or more printable characters without spaces`
      return Effect.fail(problem(`Line ${bad.at + 1} of the token file ${path} is no token: one has ${rule}.`))
    },
  )
