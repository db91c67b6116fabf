/**
 * The version of this package: suite and gate must be of one.
 */
import { readFileSync } from "node:fs"

/** As its package.json says. */
export const suiteVersion = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string })
    .version
