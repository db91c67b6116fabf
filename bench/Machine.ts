/**
 * The machine of the figures, without names of hosts or persons.
 */
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { availableParallelism, cpus, platform, release, totalmem } from "node:os"
import { canPin } from "./Contest.ts"

/** A named fact about the machine. */
export type Fact = readonly [name: string, value: string]

const versionOf = (name: string, from: string = import.meta.url): string => {
  const file = findPackageJSON(name, from)
  return file === undefined ? "unknown" : JSON.parse(readFileSync(file, "utf8")).version
}

/** All facts about the machine. */
export const facts = (): ReadonlyArray<Fact> => [
  ["CPU", `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores`],
  ["memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
  ["system", `${platform()} ${/^[\d.]*\d/.exec(release())?.[0] ?? ""}`],
  ["Node.js", process.version],
  ["effect", versionOf("effect")],
  ["@modelcontextprotocol/sdk", versionOf("@modelcontextprotocol/sdk")],
  ["undici", versionOf("undici", import.meta.resolve("@zain/sdk-client/SdkMcpClient"))],
  ["cores", canPin ? "client and server share one, but where a row says otherwise" : "as the system likes"],
]
