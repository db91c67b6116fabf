/**
 * Bundles of a program with `local()`, by each bundler that docs/guides/bundle.md names, run with fake agents.
 */
import { cpSync, mkdirSync, mkdtempSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { agents } from "../../packages/agent-list/src/Agents.ts"
import { prompt } from "../pack/Consumer.ts"
import { run, StepFailed } from "../pack/Steps.ts"

/** Those that make a program find the server's program in the project where they run. */
const files = ["esbuild.cjs", "webpack.cjs", "webpack.mjs"]

/** The programs of the project, which are compiled, by name, and the directories of the agents' servers. */
const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  bundled: agents.map(({ name }) => `@zain/${name}-client/bin`),
  "bundled-agents": ["@zain/agents/dist"],
}

/** Bundles each program, and runs each bundle; one runs as it is too, in CommonJS. */
export const check = async (project: string): Promise<void> => {
  const names = Object.keys(programs)
  for (const name of names) await checkOne(project, name)
}

const checkOne = async (project: string, name: string): Promise<void> => {
  const home = mkdtempSync(join(project, "home-"))
  await run(project, [process.execPath, "nodenext/fakes.js", home])
  const out = join(project, "bundles", name)
  const program = join(project, `nodenext/${name}.js`)
  mkdirSync(out, { recursive: true })
  const own = createRequire(join(project, "package.json"))
  const options = ["--bundle", "--platform=node", "--format=cjs", "--log-level=warning", `--outfile=${out}/esbuild.cjs`]
  await run(project, [process.execPath, own.resolve("esbuild/bin/esbuild"), program, ...options])
  await byWebpack(own("webpack"), program, out)
  const bun = join(project, `node_modules/@oven/bun-${process.platform}-${process.arch}/bin/bun`)
  await run(out, [bun, "build", "--compile", program, "--outfile", join(out, "app")])

  const env = { PATH: [home, dirname(process.execPath), "/usr/bin", "/bin"].join(":"), HOME: home }
  const answers = async (command: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) => {
    const printed = await run(project, [...command, prompt], { ...env, ...more })
    if (printed !== "hello from zain\n".repeat(agents.length))
      throw new StepFailed(`${command.join(" ")} printed\n${printed}`)
  }
  for (const file of files) await answers([process.execPath, join(out, file)])
  if (name === "bundled-agents") await answers([process.execPath, join(project, "nodenext/required.cjs")])
  // An executable of Bun looks for no packages.
  const servers = join(out, "servers")
  for (const directory of programs[name] ?? [])
    cpSync(join(project, "node_modules", directory), servers, { recursive: true })
  await answers([join(out, "app")], { SERVERS: servers })
}

type Webpack = (
  configurations: ReadonlyArray<object>,
  done: (error: Error | null, stats?: { readonly hasErrors: () => boolean }) => void,
) => void

const byWebpack = (webpack: Webpack, entry: string, path: string): Promise<void> => {
  const common = { mode: "production", target: "node22", entry, optimization: { minimize: false } }
  const outputs = [
    { output: { path, filename: "webpack.cjs", library: { type: "commonjs2" } } },
    { output: { path, filename: "webpack.mjs", module: true }, experiments: { outputModule: true } },
  ]
  return new Promise((resolve, reject) => {
    webpack(
      outputs.map((output) => ({ ...common, ...output })),
      (error, stats) => {
        if (error === null && stats?.hasErrors() === false) resolve()
        else reject(new StepFailed(String(error ?? stats)))
      },
    )
  })
}
