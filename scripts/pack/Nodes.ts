/**
 * The programs of users, on the Node versions that they may have.
 */
import { mkdtempSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Npm from "./Npm.ts"
import { all, StepFailed, type Steps } from "./Steps.ts"

/** The oldest that the packages allow, and the current one. */
export const versions: ReadonlyArray<string> = ["22.19.0", "24"]

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
`

/** A prompt that fake agents answer. */
const prompt = "⟦zain:say#a1 hello from zain⟧"

/** What there is to run. `commands`: by their names. */
export interface Installed {
  readonly project: string
  readonly commands: ReadonlyArray<string>
}

/** Runs everything on one Node, in a home of its own in `place`. */
export const check = async (steps: Steps, place: string, node: string, { commands, project }: Installed) => {
  const home = mkdtempSync(join(place, "home-"))
  // This Node, the agents of `fakes.ts`, and the system's commands; no configuration.
  const env = { PATH: [home, dirname(node), "/usr/bin", "/bin"].join(":"), HOME: home }
  const run = (...args: ReadonlyArray<string>) => steps.run(node, args, { cwd: project, env })
  const runCommand = (name: string, ...args: ReadonlyArray<string>) => run(join("node_modules/.bin", name), ...args)
  const version = (await run("--version")).trim()
  const step = (title: string, work: () => Promise<unknown>) => () => steps.step(`Node ${version}: ${title}`, work)
  await all([
    step("the port, both adapters, the agent server", async () => same(await run("nodenext/main.js"), printed)),
    step("every door", async () => same(await run("nodenext/doors.js"), /^\d+ doors are open, \d+ are shut\n$/)),
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

const same = (text: string, expected: string | RegExp): void => {
  const isSame = typeof expected === "string" ? text === expected : expected.test(text)
  if (!isSame) throw new StepFailed(`It printed\n${text}\nand not\n${expected}`)
}
