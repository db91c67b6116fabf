/**
 * What is built and never committed. It is taken away before each build: turbo writes what it remembers beside what it
 * finds, so that a module which was deleted since would still be there, and be packed.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { published } from "./Published.ts"

/** The directories of a package that a build makes, as `turbo.json` names them. */
const directories = (root: string): ReadonlyArray<string> => {
  const { tasks } = JSON.parse(readFileSync(join(root, "turbo.json"), "utf8"))
  return tasks.build.outputs.map((output: string) => output.replace(/\/\*\*$/, ""))
}

/** Removes what was built of every package. */
export const remove = (root: string): void => {
  for (const output of directories(root)) {
    for (const { directory } of published(root)) {
      rmSync(join(root, directory, output), { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
