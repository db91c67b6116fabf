/**
 * A user's project outside of this repository, in which each package resolves only what it declares.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { parse } from "yaml"
import { agents } from "../../packages/agent-list/src/Agents.ts"
import type { Published } from "../Published.ts"
import { run, StepFailed } from "./Steps.ts"
import type { Tarball } from "./Tarballs.ts"

/** Older supported compilers beside the current one. The first is the oldest that pages promise. */
export const olderCompilers: ReadonlyArray<string> = ["5.9", "6.0"]

/** The oldest Node that the packages allow, and the current one. */
export const nodeVersions = (all: ReadonlyArray<Published>): ReadonlyArray<string> => [
  ...new Set(all.map(({ manifest: { engines } }) => engines?.["node"]?.replace(">=", "") ?? "")),
  "24",
]

const resolutions = ["nodenext", "bundler"]

/** Writes the project, with the programs of `e2e/consumer` in it, and installs the tarballs and what users have beside them. */
export const make = async (
  root: string,
  place: string,
  all: ReadonlyArray<Published>,
  tarballs: ReadonlyArray<Tarball>,
): Promise<string> => {
  const project = join(place, "consumer")
  mkdirSync(project)
  const write = (name: string, value: unknown) => writeFileSync(join(project, name), JSON.stringify(value))
  const { catalog } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"))
  const ours = Object.fromEntries(tarballs.map(({ file, name }) => [name, `file:${file}`]))
  const beside = ["effect", "typescript", "vitest", "@types/node", "esbuild", "webpack"].map((name) => [
    name,
    catalog[name],
  ])
  const compilers = olderCompilers.map((version) => [`typescript-${version}`, `npm:typescript@${version}`])
  const platform = `${process.platform}-${process.arch}`
  const nodes = nodeVersions(all).map((version) => [`node-${version}`, `npm:node-${platform}@${version}`])
  // The package `bun` puts this one in place by a script.
  const bun = [`@oven/bun-${platform}`, catalog["bun"]]
  const dependencies = { ...ours, ...Object.fromEntries([...beside, ...compilers, ...nodes, bun]) }
  write("package.json", { name: "consumer", private: true, type: "module", dependencies })
  write("pnpm-workspace.yaml", { hoist: false, strictPeerDependencies: true, overrides: ours })
  cpSync(join(root, "e2e/consumer"), join(project, "src"), { recursive: true })
  writeFileSync(join(project, "src/doors.ts"), doorsProgram(tarballs))
  for (const moduleResolution of resolutions) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      // Node 22 does not know `await using`.
      target: "ES2022",
      types: ["node"],
      module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
      moduleResolution,
      rootDir: "src",
      outDir: moduleResolution,
    }
    write(`${moduleResolution}.json`, { compilerOptions, include: ["src"] })
  }
  await run(project, ["pnpm", "install", "--ignore-scripts", "--no-frozen-lockfile"])
  return project
}

/** A program that imports every module that users can import. */
const doorsProgram = (tarballs: ReadonlyArray<Tarball>): string =>
  tarballs.flatMap(({ name, open }) => open.map((door) => `import "${posix.join(name, door)}"\n`)).join("")

/** Compiles the programs with each compiler, the declarations of all packages included. */
export const compile = async (project: string): Promise<void> => {
  const compiler = (name: string) => [process.execPath, join(project, "node_modules", name, "bin/tsc")]
  for (const resolution of resolutions) await run(project, [...compiler("typescript"), "-p", `${resolution}.json`])
  for (const version of olderCompilers) {
    await run(project, [...compiler(`typescript-${version}`), "--noEmit", "-p", "nodenext.json"])
  }
}

/** Fails with the members of the users' types at which an editor would show no description. */
export const hover = async (project: string): Promise<void> => {
  const printed = await run(project, [process.execPath, "src/hover.mjs", `typescript-${olderCompilers[0]}`])
  if (!/^\d+ types\n$/.test(printed)) throw new StepFailed(`Without a description in the declarations:\n${printed}`)
}

/** A prompt that fake agents answer. */
export const prompt = "⟦zain:say#a1 hello from zain⟧"

/**
 * A document with the answer of its judge, a fake agent; the `%25` makes the answer differ from the document's text.
 */
const document = `⟦zain:say#a2 {"score": 9, "rubric_scores": {"completeness": 9, "accuracy": 9, "clarity": 9, "usability": 9}, "suggestions": ["Say 100%25."]}⟧\n`

/** The program of each command, by its name. */
type Commands = ReadonlyMap<string, string>

export const commandsOf = (all: ReadonlyArray<Published>): Commands =>
  new Map(
    all.flatMap(({ manifest: { bin = {}, name } }) =>
      Object.entries(bin).map(([command, file]) => [command, posix.join("node_modules", name, file)] as const),
    ),
  )

/** Runs the `npx` command of the README, with `--version` in place of its subcommand. */
export const npx = async (root: string, project: string): Promise<void> => {
  const [, command] = /^(npx .*) doctor$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? []
  if (command === undefined) throw new StepFailed("README.md has no line `npx … doctor`.")
  // Without the variables of an `npx` that started this check.
  const env = { PATH: process.env["PATH"], HOME: mkdtempSync(join(project, "home-")) }
  const printed = await run(project, [...command.split(" "), "--version"], env)
  if (!/^\d+\.\d+\.\d+\S*\n$/.test(printed)) throw new StepFailed(`${command} --version printed\n${printed}`)
}

/** Runs every program and command on one Node, with a home of its own and fake agents on PATH. */
export const check = async (project: string, version: string, commands: Commands): Promise<void> => {
  const node = join(project, "node_modules", `node-${version}`, "bin/node")
  const home = mkdtempSync(join(project, "home-"))
  const env = { PATH: [home, dirname(node), "/usr/bin", "/bin"].join(":"), HOME: home }
  const prints = async (expected: RegExp, ...args: ReadonlyArray<string>) => {
    const printed = await run(project, [node, ...args], env)
    if (!expected.test(printed)) throw new StepFailed(`${args.join(" ")} printed\n${printed}\nand not\n${expected}`)
  }
  await prints(/^(?:.+\n)+$/, "nodenext/fakes.js", home)
  await prints(/^done\n$/, "nodenext/main.js")
  await prints(/^$/, "nodenext/doors.js")
  await prints(/passed/, "node_modules/vitest/vitest.mjs", "run", "nodenext")
  for (const program of commands.values()) await prints(/^\d+\.\d+\.\d+\S*\n$/, program, "--version")
  for (const { name } of agents) {
    await prints(/^hello from zain\n$/, commands.get("zain") ?? "", "run", "--provider", name, prompt)
  }
  // The fake of the last agent lists its user's tools, without which an agent cannot judge.
  const [{ name = "" } = {}] = agents.slice(-1)
  writeFileSync(join(home, "guide.md"), document)
  const improve = ["improve", join(home, "guide.md"), "--judge", name, "--writer", name, "--json"]
  await prints(/"score":9,"first":9,.*\n$/, commands.get("loopsmith") ?? "", ...improve)
}
