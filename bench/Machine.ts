/**
 * The machine of the figures, without names of hosts or persons.
 */
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { availableParallelism, cpus, platform, release, totalmem } from "node:os"
import { canPin } from "./Contest.ts"

/** A fact about the machine and its name. */
export type Fact = readonly [name: string, value: string]

const versionOf = (name: string, from: string = import.meta.url): string => {
  const file = findPackageJSON(name, from)
  return file === undefined ? "unknown" : JSON.parse(readFileSync(file, "utf8")).version
}

/** The fact that rows can differ from. */
export const placement = "cores"

/** CPU, memory, system, versions, and the placement of client and server. */
export const facts = (): ReadonlyArray<Fact> => [
  ["CPU", `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores`],
  ["memory", `${Math.round(totalmem() / 2 ** 30)} GiB`],
  ["system", `${platform()} ${/^[\d.]*\d/.exec(release())?.[0] ?? ""}`],
  ["Node.js", process.version],
  ["effect", versionOf("effect")],
  ["@modelcontextprotocol/sdk", versionOf("@modelcontextprotocol/sdk")],
  ["undici", versionOf("undici", import.meta.resolve("@zain/sdk-client/SdkMcpClient"))],
  [placement, canPin ? "client and server share one core unless the row says otherwise" : "by the system"],
]
