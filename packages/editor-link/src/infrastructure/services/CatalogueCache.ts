/**
 * Caches an editor's last list of tools in a file, for clients that request tools only once.
 */
import { createHash } from "node:crypto"
import { parseObject } from "@zain/process/JsonRpc"
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import { address, type Target } from "../link/Target.ts"

/** Neither fails. `read`: the list as the editor wrote it, or `undefined`. */
export interface CatalogueCache {
  readonly read: Effect.Effect<unknown>
  readonly write: (listed: unknown) => Effect.Effect<void>
}

/** How many lists are kept. */
const maxLists = 50

/** A cache that stores nothing. */
export const none: CatalogueCache = { read: Effect.undefined, write: () => Effect.void }

/**
 * @param directory where the files are
 * @param project the only project that is served, if one was named
 */
export const make = (
  directory: string,
  profile: string,
  target: Target,
  project: string | undefined,
): CatalogueCache => {
  const files = StateFiles.within(directory, maxLists)
  const key = JSON.stringify([profile, address(target), project ?? null])
  const name = `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`
  return {
    read: Effect.map(files.read(name), (text) => (text === undefined ? undefined : parseObject(text))),
    write: (listed) => Effect.ignore(files.write(name, JSON.stringify(listed))),
  }
}
