/**
 * Checks Node and the operating system.
 */
import { arch, platform, release } from "node:os"
import { about, type Finding } from "./Finding.ts"
import * as Version from "./Version.ts"

/** The oldest supported Node. */
export const oldestNode: Version.Version = [22, 19, 0]

export interface Platform {
  readonly zain: string
  readonly node: string
  readonly os: string
}

export const make = (zain: string, node: string = process.versions.node): Platform => ({
  zain,
  node,
  os: `${platform()} ${release()} ${arch()}`,
})

export const check = ({ node, os, zain }: Platform): Finding => {
  const found = about("Platform")
  const version = Version.parse(node)
  const text = `zain ${zain}, Node ${node}, ${os}`
  const isOld = version === undefined || Version.compare(version, oldestNode) < 0
  return isOld ? found("platform.old", text, Version.format(oldestNode)) : found("platform", text)
}
