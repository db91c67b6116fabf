/**
 * Reads the tokens of clients from a file that only its owner can read.
 *
 * @see docs/internals/promises.md, 26
 */
import { isAbsolute } from "node:path"
import * as CheckedFile from "@zain/process/CheckedFile"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as RootDirectory from "../RootDirectory.ts"
import { HttpServeError } from "./HttpServeError.ts"
import type { Token } from "./Principals.ts"

const minLength = 16

/** The largest token file. */
const maxBytes = 64 * 1024

const problem = (message: string) => new HttpServeError({ reason: "token-file", message })

/**
 * Reads the tokens of a file: one on each line; empty lines and those that begin with `#` are skipped.
 *
 * @param path a file that belongs to the user of this process, and that other users cannot read (chmod 600)
 * @param hasRoots whether the absolute path of an existing directory may follow a token. A token on several lines has several
 *   directories
 * @returns at least one token; or `HttpServeError` with reason `token-file`
 */
export const read = (path: string, hasRoots = false): Effect.Effect<ReadonlyArray<Token>, HttpServeError> =>
  CheckedFile.read(path, { maxBytes, forbidden: 0o077, isOwn: true }).pipe(
    Effect.mapError((why) => problem(`The token file ${path} ${why}`)),
    Effect.flatMap((text) => tokensOf(path, text, hasRoots)),
  )

const tokensOf = (
  path: string,
  text: string,
  hasRoots: boolean,
): Effect.Effect<ReadonlyArray<Token>, HttpServeError> => {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const tokens = lines.flatMap((line, at) =>
    line === "" || line.startsWith("#") ? [] : [{ ...partsOf(line, hasRoots), at: at + 1 }],
  )
  if (tokens.length === 0) return Effect.fail(problem(`The token file ${path} has no token.`))
  const bad = tokens.find(({ token }) => token.length < minLength || !/^[!-~]+$/.test(token))
  if (bad !== undefined) {
    const rule = `${minLength} or more printable characters without spaces`
    return Effect.fail(problem(`Line ${bad.at} of the token file ${path} is not a token. A token has ${rule}.`))
  }
  const lost = tokens.find(({ directory, root }) => directory !== undefined && root === undefined)
  // The text is not quoted, since it may be part of a token.
  if (lost !== undefined) {
    const rule = "the absolute path of an existing directory"
    return Effect.fail(problem(`Line ${lost.at} of the token file ${path} has no valid root. A root is ${rule}.`))
  }
  return Effect.succeed(
    tokens.map(({ root, token }) => ({ value: Redacted.make(token), ...(root === undefined ? {} : { root }) })),
  )
}

/** A token, the text after it, and the directory of that text if it is one. */
const partsOf = (line: string, hasRoots: boolean) => {
  const [, token = line, directory] = hasRoots ? (/^(\S+)(?:\s+(.+))?$/.exec(line) ?? []) : []
  const root = directory !== undefined && isAbsolute(directory) ? RootDirectory.find(directory) : undefined
  return { token, directory, root }
}
