/**
 * The real Claude Code as the caller of LoopSmith, set up with the lines of the README.
 */
import { execFile } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import type { Door, LoopSmithPlace } from "./LoopSmithPlace.ts"
import { root } from "./Programs.ts"
import { binaries } from "./RealAgents.ts"

const run = promisify(execFile)

/** The URL of a server in the README. */
const documented = /\b(ws|http):\/\/127\.0\.0\.1:23100\/mcp\b/

/** The line of the README that adds LoopSmith to Claude Code by this door. */
const lineOf = async (door: Door): Promise<string> => {
  const readme = await readFile(`${root}/packages/loopsmith/README.md`, "utf8")
  const lines = readme.split("\n").filter((line) => /^claude mcp add/.test(line))
  const line = lines.find((line) => (documented.exec(line)?.[1] ?? "stdio") === door)
  if (line === undefined) throw new Error(`The README has no line that adds LoopSmith over ${door}.`)
  return line
}

/**
 * Adds LoopSmith to Claude Code by the README's line for a door, with the URL of a server where the README has the usual one.
 *
 * @param args of `loopsmith`, after those that the README gives
 * @returns runs Claude Code with these arguments, and returns its output
 */
export const make = Effect.fnUntraced(function* (place: LoopSmithPlace, door: Door, args: ReadonlyArray<string>) {
  const bin = join(place.directory, "bin")
  const { args: all, command, cwd, env } = place.command([])
  const url = door === "stdio" ? "" : (yield* place.serve(door, args)).url
  const options = {
    cwd,
    env: { ...env, PATH: [bin, dirname(binaries.claudeCode), env["PATH"]].join(delimiter) },
    maxBuffer: 64 * 1024 * 1024,
  }
  yield* Effect.promise(async () => {
    await mkdir(bin)
    // As a global install puts it on PATH.
    const words = [command, ...all].map((word) => `'${word}'`).join(" ")
    const more = args.map((word) => `'${word}'`).join(" ")
    await writeFile(join(bin, "loopsmith"), `#!/bin/sh\nexec ${words} "$@" ${more}\n`, { mode: 0o700 })
    await run("sh", ["-c", (await lineOf(door)).replace(documented, url)], options)
  })
  return (...words: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const child = run(binaries.claudeCode, words, options)
      child.child.stdin?.end()
      return (await child).stdout
    })
})
