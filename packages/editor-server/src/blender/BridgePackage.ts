/**
 * Where the Python of the bridge is.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The directory zain_bridge of this package: the sources and a bundle are not equally deep. */
export const directory: string | undefined = ["../blender/zain_bridge", "../../blender/zain_bridge"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

export const missing = "this package lacks its directory blender/zain_bridge. Install it again."
