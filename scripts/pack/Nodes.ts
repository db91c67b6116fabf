/**
 * The programs of users, on the Node versions that they may have.
 */
import { mkdtempSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Published } from "../Published.ts"
import * as Npm from "./Npm.ts"
import { all, StepFailed, type Steps } from "./Steps.ts"

/** The current one. */
const current = "24"

/**
 * The oldest that each of the packages allows, and the current one.
 *
 * @throws when a package does not say which is the oldest, as `>=22.19.0`
 */
export const versions = (all: ReadonlyArray<Published>): readonly [string, ...Array<string>] => {
  const [oldest, ...others] = new Set(
    all.map(({ manifest: { engines, name } }) => {
      const [, version] = /^>=(\d+\.\d+\.\d+)$/.exec(engines?.["node"] ?? "") ?? []
      if (version === undefined) throw new Error(`${name} does not say which is the oldest Node that it runs on.`)
      return version
    }),
  )
  return oldest === undefined ? [current] : [oldest, ...others, current]
}

/**
 * Brings a Node by npm.
 *
 * @returns its path
 */
export const install = async (steps: Steps, place: string, version: string): Promise<string> => {
  const prefix = join(place, `node-${version}`)
  // What the package `node` fetches when it is installed, without its install script.
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`
  await Npm.install(steps, prefix, [`${name}@${version}`])
  return join(prefix, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node")
}

/** What `main.ts` prints, whichever Node runs it. */
const printed = `codex: hello from codex
claude-code: hello from claude-code
codex, behind the agent server: hello from codex
claude-code, behind the agent server: hello from claude-code
empty-content
LoopSmith: 7, not passed
a script: hello from a script
`

/** A prompt that fake agents answer. */
const prompt = "⟦zain:say#a1 hello from zain⟧"

/** What there is to run. `commands`: by their names. `doors`: what is printed of them. */
export interface Installed {
  readonly project: string
  readonly commands: ReadonlyArray<string>
  readonly doors: string
}

/** What a program of a user's has: this Node, the agents of `fakes.ts` in a home, the system's commands; no configuration. */
export const environment = (node: string, home: string) => ({
  PATH: [home, dirname(node), "/usr/bin", "/bin"].join(":"),
  HOME: home,
})

/** Runs everything on one Node, in a home of its own in `place`. */
export const check = async (steps: Steps, place: string, node: string, { commands, doors, project }: Installed) => {
  const home = mkdtempSync(join(place, "home-"))
  const env = environment(node, home)
  const run = (...args: ReadonlyArray<string>) => steps.run(node, args, { cwd: project, env })
  const runCommand = (name: string, ...args: ReadonlyArray<string>) => run(join("node_modules/.bin", name), ...args)
  const version = (await run("--version")).trim()
  const step = (title: string, work: () => Promise<unknown>) => () => steps.step(`Node ${version}: ${title}`, work)
  await all([
    step("the port, both adapters, the agent server, LoopSmith, a scripted model", async () =>
      same(await run("nodenext/main.js"), printed),
    ),
    step("every door", async () => same(await run("nodenext/doors.js"), doors)),
    step("the contract by vitest", () => run("node_modules/vitest/vitest.mjs", "run", "--reporter=dot", "nodenext")),
    step(`versions of ${commands.join(", ")}`, async () => {
      for (const name of commands) same(await runCommand(name, "--version"), /^\d+\.\d+\.\d+\S*\n$/)
    }),
    step("zain run, both agents", async () => {
      await run("nodenext/fakes.js", home)
      for (const provider of ["codex", "claude-code"]) {
        same(await runCommand("zain", "run", "--provider", provider, prompt), /^hello from zain\n$/)
      }
    }),
  ])
}

/** @throws StepFailed when a program has printed something else */
export const same = (text: string, expected: string | RegExp): void => {
  const isSame = typeof expected === "string" ? text === expected : expected.test(text)
  if (!isSame) throw new StepFailed(`It printed\n${text}\nand not\n${expected}`)
}
