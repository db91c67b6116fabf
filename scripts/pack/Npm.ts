/**
 * What npm puts into a directory outside of every workspace.
 */
import { mkdirSync } from "node:fs"
import type { Steps } from "./Steps.ts"

/**
 * Installs packages, by name and version or by file, into a directory that it makes if need be; without names what its
 * package.json says. No lockfile says what comes along, so none of it runs while it is installed.
 */
export const install = async (steps: Steps, directory: string, names: ReadonlyArray<string>): Promise<void> => {
  mkdirSync(directory, { recursive: true })
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", directory, ...names]
  await steps.run("npm", args, { cwd: directory, seconds: 300 })
}
