/**
 * Files with MCP servers, and the reports of `zain mcp`.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Printed, Row } from "../../src/mcp/ServerTable.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import type { Home } from "../../testing/run/Home.ts"

/** Writes a file into the working directory, and returns its name. */
export const write = (home: Home, name: string, content: object | string): string => {
  const file = join(home.work, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return name
}

export const mcp = (
  home: Home,
  verb: "list" | "check",
  files: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
) => Zain.json<Printed>(home, ["mcp", verb, ...files], env)

export const named = ({ servers }: Printed, name: string): Row => {
  const found = servers.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no server ${name}.`)
  return found
}

/** The names of the servers, each with its findings. */
export const inShort = ({ servers }: Printed): ReadonlyArray<string> =>
  servers.map(({ findings, name }) => [name, ...findings.map(({ kind, status }) => `${kind} ${status}`)].join(" "))

/** How a file names a variable. */
export const variable = (name: string): string => `\${${name}}`
