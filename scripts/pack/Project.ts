/**
 * A project of a user's: it has what npm gives it and nothing of this workspace.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { doors, isLibrary, modules, type Published } from "../Published.ts"
import * as Npm from "./Npm.ts"
import type { Steps } from "./Steps.ts"

/** What a user installs beside the packages, in the versions of the workspace. */
const beside = ["effect", "typescript", "vitest", "@types/node"]

/** How a user's compiler may look for modules. */
export type Resolution = "bundler" | "nodenext"

export const resolutions: ReadonlyArray<Resolution> = ["nodenext", "bundler"]

/** Makes the project, with the programs of `e2e/consumer` in it. */
export const make = (root: string, place: string, all: ReadonlyArray<Published>): string => {
  const project = join(place, "project")
  mkdirSync(project)
  const programs = { recursive: true, filter: (file: string) => !file.endsWith(".json") }
  cpSync(join(root, "e2e/consumer"), join(project, "src"), programs)
  writeFileSync(join(project, "src/doors.ts"), doorsProgram(root, all.filter(isLibrary)))
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
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
    writeFileSync(join(project, `${moduleResolution}.json`), JSON.stringify({ compilerOptions, include: ["src"] }))
  }
  return project
}

/** The program that imports everything that can be imported, and tries everything that cannot. */
const doorsProgram = (root: string, libraries: ReadonlyArray<Published>): string => {
  const open = libraries.flatMap((each) => doors(root, each).map(({ name }) => each.manifest.name + name.slice(1)))
  const shut = libraries.flatMap((each) => {
    const known = new Set(doors(root, each).map(({ module }) => module))
    return modules(root, each).flatMap((module) => (known.has(module) ? [] : [`${each.manifest.name}/${module}`]))
  })
  return `${open.map((name, index) => `import * as m${index} from ${JSON.stringify(name)}`).join("\n")}

const open = [${open.map((_, index) => `m${index}`).join(", ")}]
const shut: ReadonlyArray<string> = ${JSON.stringify(shut)}
const code = (cause: { readonly code?: string }) => cause.code
for (const name of shut) {
  const outcome = await import(name).then(() => "it opens", code)
  if (outcome !== "ERR_PACKAGE_PATH_NOT_EXPORTED") console.log(name, outcome)
}
console.log(\`\${open.length} doors are open, \${shut.length} are shut\`)
`
}

/** Installs the tarballs and what a user has beside them, as npm does it. */
export const install = async (steps: Steps, root: string, cwd: string, tarballs: ReadonlyArray<string>) => {
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
  const version = (name: string) => new RegExp(`^ {2}"?${name}"?: (\\S+)$`, "m").exec(catalog)?.[1] ?? "latest"
  const names = beside.map((name) => `${name}@${version(name)}`)
  await Npm.install(steps, cwd, [...tarballs, ...names])
}

/** The compiler that users may still have. */
export const oldestCompiler = "5.9"

/** @returns the path of that compiler */
export const installCompiler = async (steps: Steps, place: string): Promise<string> => {
  const prefix = join(place, "compiler")
  await Npm.install(steps, prefix, [`typescript@${oldestCompiler}`])
  return compilerIn(prefix)
}

const compilerIn = (cwd: string) => join(cwd, "node_modules/typescript/bin/tsc")

/**
 * Compiles the programs, the declarations of all packages included.
 *
 * @param compiler only checks; without it the project's own one also writes the programs into a directory of this name
 */
export const compile = (steps: Steps, cwd: string, resolution: Resolution, compiler?: string) => {
  const args = ["-p", `${resolution}.json`, ...(compiler === undefined ? [] : ["--noEmit"])]
  return steps.run(process.execPath, [compiler ?? compilerIn(cwd), ...args], { cwd })
}
