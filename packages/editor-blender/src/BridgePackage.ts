/**
 * Where the Python of the bridge is.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The directory zain_bridge: beside a bundle, or of this package. */
export const directory: string | undefined = ["zain_bridge", "../bridge/zain_bridge"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

export const missing = "this package lacks its directory dist/zain_bridge. Install it again."
