/**
 * Finds a program before it is needed, so that a missing one is reported at the start instead of with the first call.
 *
 * @see docs/internals/promises.md, 18: commands never come from the working directory
 */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join, resolve } from "node:path"

/**
 * Finds an executable file.
 *
 * @param program a path, or a name to look up on `PATH`. Relative entries of `PATH` are ignored
 * @param env the environment whose `PATH` (and on Windows `PATHEXT`) is used
 * @returns the absolute path, or `undefined` if there is no such executable
 */
export const find = (program: string, env: Readonly<Record<string, string | undefined>>): string | undefined => {
  if (/[\\/]/.test(program)) return withEndings(resolve(program), env).find(isProgram)
  const places = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(isAbsolute)
  return places.flatMap((place) => withEndings(join(place, program), env)).find(isProgram)
}

const withEndings = (path: string, env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  process.platform === "win32" ? [path, ...(env["PATHEXT"] ?? ".EXE").split(";").map((end) => path + end)] : [path]

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
