/**
 * The bridge as a file that Blender installs: an add-on, and from Blender 4.2 on an extension.
 */
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { zipSync } from "fflate"
import * as BridgePackage from "./BridgePackage.ts"

/** What the archive has of the directory. */
const isPart = (name: string): boolean => /\.(py|toml|json)$/.test(name)

/** The same content gives the same bytes: the oldest time that an archive can hold. */
const oldest = new Date(1980, 0, 1)

const reason = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  return code === "EEXIST" ? "it exists. Remove it, or name another file." : `${code ?? message}.`
}

/** Writes the archive: one folder, as add-ons have it and extensions may. Fails with one sentence, also where there is a file. */
export const write = Effect.fnUntraced(function* (path: string): Effect.fn.Return<void, string> {
  const { directory, missing } = BridgePackage
  if (directory === undefined) return yield* Effect.fail(missing)
  yield* Effect.tryPromise({
    try: async () => {
      const names = (await readdir(directory)).filter(isPart).sort()
      const entries = names.map(async (name) => [`zain_bridge/${name}`, await readFile(join(directory, name))] as const)
      const archive = zipSync(Object.fromEntries(await Promise.all(entries)), { mtime: oldest })
      await writeFile(path, archive, { flag: "wx" })
    },
    catch: (cause) => `${path} cannot be written: ${reason(cause)}`,
  })
})
