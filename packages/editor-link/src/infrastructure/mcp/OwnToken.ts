/**
 * A token that a server makes for its own clients.
 */
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "@zain/command/OptionTable"
import * as ShellQuote from "@zain/process/ShellQuote"
import * as StateFiles from "@zain/process/StateFiles"
import type { Kind } from "@zain/tool-server/http/HttpLimits"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** How many files stay of servers that were killed, and could not remove theirs. */
const maxStaleFiles = 64

/**
 * Writes a new token to a file that only the user can read, in a directory of theirs. It is removed with the Scope, and when
 * the process exits.
 *
 * @returns the path of the file
 */
export const make = Effect.fnUntraced(function* (
  name: string,
  env: Environment,
): Effect.fn.Return<string, Error, Scope.Scope> {
  const directory = StateFiles.directoryOf(env, "tokens")
  const file = `${name}-${randomBytes(8).toString("hex")}`
  const path = join(directory, file)
  const remove = () => rmSync(path, { force: true })
  yield* Effect.acquireRelease(
    Effect.suspend(() => {
      process.once("exit", remove)
      const text = `${randomBytes(32).toString("base64url")}\n`
      return Effect.mapError(StateFiles.within(directory, maxStaleFiles).write(file, text), unwritable)
    }),
    () =>
      Effect.sync(() => {
        process.off("exit", remove)
        remove()
      }),
  )
  return path
})

const unwritable = ({ directory, why }: StateFiles.Unwritable) =>
  new Error(
    `The token for clients cannot be written below ${directory} (${why}). Name a file with one by --token-file.`,
  )

/** How Claude Code is connected to a server over these, which a shell runs. The token itself is not in it. */
const claude = (name: string, kind: "http" | "sse", url: string, path: string) =>
  `claude mcp add --transport ${kind} ${name} ${url} --header "Authorization: Bearer $(cat ${ShellQuote.quote(path)})"`

/** What the start of a server with such a token says. */
export const announce = (name: string, kind: Kind, path: string) => (url: string) => ({
  lines: [
    `Clients require the token in ${path}, which is removed when this server ends. Pass --token-file for a permanent one.`,
    ...(kind === "http" || kind === "sse" ? [claude(name, kind, url, path)] : []),
  ],
  json: { tokenFile: path },
})
