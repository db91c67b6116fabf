/**
 * The help of a package's commands.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Published } from "./Published.ts"

const execute = promisify(execFile)

export type Help = readonly [words: string, text: string]

/** The help of each command of a package, and of each command below it, by the words that call it. */
export const all = async (root: string, { directory, manifest }: Published): Promise<ReadonlyArray<Help>> => {
  const bins = Object.entries(manifest.bin ?? {}).sort()
  const found = await Promise.all(bins.map(([name, file]) => below(join(root, directory, file), [name], [])))
  return found.flat()
}

/** The help of a command and those below it. A word that is no command gets help that was given `before`. */
const below = async (
  file: string,
  words: ReadonlyArray<string>,
  before: ReadonlyArray<string>,
): Promise<ReadonlyArray<Help>> => {
  const text = await help(file, words.slice(1))
  if (before.includes(text)) return []
  const inner = await Promise.all(candidates(text).map((word) => below(file, [...words, word], [...before, text])))
  return [[words.join(" "), text], ...inner.flat()]
}

/** Lines such as `  serve     offers the judge`: a word that may be a command, and what it does. */
const candidates = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, word = ""]) => word)),
]

const help = async (file: string, words: ReadonlyArray<string>): Promise<string> => {
  const options = { env: { PATH: process.env["PATH"], NO_COLOR: "1" }, timeout: 240_000 }
  const { stdout } = await execute(process.execPath, [file, ...words, "--help"], options)
  return stdout.replace(/[ \t]+$/gm, "").trim()
}
