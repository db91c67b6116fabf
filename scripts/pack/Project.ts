/**
 * A project of a user's: it has what npm gives it and nothing of this workspace.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, posix } from "node:path"
import { modules } from "../Published.ts"
import * as Npm from "./Npm.ts"
import type { Steps } from "./Steps.ts"
import { doorsOf, type Tarball } from "./Tarballs.ts"

/** What a user installs beside the packages, in the versions of the workspace. */
const beside = ["effect", "typescript", "vitest", "@types/node"]

/** A version that the workspace names. */
export const versionOf = (root: string, name: string): string => {
  const catalog = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
  return new RegExp(`^ {2}"?${name}"?: (\\S+)$`, "m").exec(catalog)?.[1] ?? "latest"
}

/** How a user's compiler may look for modules. */
export type Resolution = "bundler" | "nodenext"

export const resolutions: ReadonlyArray<Resolution> = ["nodenext", "bundler"]

/** Makes the project, with the programs of `e2e/consumer` in it. */
export const make = (root: string, place: string, tarballs: ReadonlyArray<Tarball>): string => {
  const project = join(place, "project")
  mkdirSync(project)
  const programs = { recursive: true, filter: (file: string) => !file.endsWith(".json") }
  cpSync(join(root, "e2e/consumer"), join(project, "src"), programs)
  writeFileSync(join(project, "src/doors.ts"), doorsProgram(tarballs))
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

/** All that can be imported, and every module that cannot, by name. */
const openAndShut = (tarballs: ReadonlyArray<Tarball>) => {
  const open = tarballs.flatMap((each) => doorsOf(each).map(({ name }) => posix.join(each.content.manifest.name, name)))
  const shut = tarballs.flatMap((each) => {
    const known = new Set(doorsOf(each).map(({ module }) => module))
    const { content, opened } = each
    return modules(opened, content).flatMap((module) =>
      known.has(module) ? [] : [`${content.manifest.name}/${module}`],
    )
  })
  return { open, shut }
}

/** What the program of `doors.ts` prints when all is well. */
export const doorsSaid = (tarballs: ReadonlyArray<Tarball>): string => {
  const { open, shut } = openAndShut(tarballs)
  return `${open.length} doors are open, ${shut.length} are shut\n`
}

/** The program that imports everything that can be imported, and tries everything that cannot. */
const doorsProgram = (tarballs: ReadonlyArray<Tarball>): string => {
  const { open, shut } = openAndShut(tarballs)
  return `${open.map((name, index) => `import * as m${index} from ${JSON.stringify(name)}`).join("\n")}

const open = [${open.map((_, index) => `m${index}`).join(", ")}]
const closed: ReadonlyArray<string> = ${JSON.stringify(shut)}
const code = (cause: { readonly code?: string }) => cause.code
let shut = 0
for (const name of closed) {
  const outcome = await import(name).then(() => "it opens", code)
  if (outcome === "ERR_PACKAGE_PATH_NOT_EXPORTED") shut += 1
  else console.log(name, outcome)
}
console.log(\`\${open.filter((module) => typeof module === "object").length} doors are open, \${shut} are shut\`)
`
}

/** Installs the tarballs and what a user has beside them, as npm does it. */
export const install = async (steps: Steps, root: string, cwd: string, tarballs: ReadonlyArray<Tarball>) => {
  const names = beside.map((name) => `${name}@${versionOf(root, name)}`)
  await Npm.install(steps, cwd, [...tarballs.map(({ file }) => file), ...names])
}

/** The compilers that users may still have, beside the current one. The first one is the oldest that pages promise. */
export const olderCompilers: ReadonlyArray<string> = ["5.9", "6.0"]

/** @returns the path of that compiler */
export const installCompiler = async (steps: Steps, place: string, version: string): Promise<string> => {
  const prefix = join(place, `compiler-${version}`)
  await Npm.install(steps, prefix, [`typescript@${version}`])
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
