import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Writes files, by their place in a directory, and the directories that they are in. */
export const write = (directory: string, files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}
