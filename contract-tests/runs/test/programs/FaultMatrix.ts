/**
 * Runs every fault on every transport against Codex's adapter, and prints a table. `--json` prints the report as JSON;
 * `--only=<id>,…` and `--transports=<name>,…` select. `--subject=<name>` runs the faults of the dialect against another
 * adapter, such as `Claude Code`.
 */

import { McpClientFaultSuite } from "@zain/contract-tests"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Subjects from "../faults/Subjects.ts"

const listOf = (name: string): ReadonlyArray<string> | undefined =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.slice(name.length + 3)
    .split(",")

const subjects = [Subjects.codex, ...Subjects.servers, Subjects.claudeCode]
const [asked = Subjects.codex.name] = listOf("subject") ?? []
const subject = subjects.find(({ name }) => name === asked)
if (subject === undefined)
  throw new Error(`Unknown subject \`${asked}\`; expected one of: ${subjects.map(({ name }) => name).join(", ")}.`)
const only = listOf("only") ?? (subject === Subjects.codex ? undefined : McpClientFaultSuite.ofDialect)
const transports = listOf("transports") as ReadonlyArray<McpTransport> | undefined
const isJson = process.argv.includes("--json")

const report = await Effect.runPromise(
  McpClientFaultSuite.check(subject, {
    ...(only === undefined ? {} : { only }),
    ...(transports === undefined ? {} : { transports }),
  }),
)
process.stdout.write(isJson ? `${JSON.stringify(report, null, 2)}\n` : `${McpClientFaultSuite.format(report)}\n`)
process.exitCode = report.ok ? 0 : 1
