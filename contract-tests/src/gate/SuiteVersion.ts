/**
 * The version of this package; suite and gate must have the same.
 */
import { readFileSync } from "node:fs"

/** Reads the version from package.json. */
export const suiteVersion = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string })
    .version
