/**
 * Prints how Codex's adapter meets every fault on every transport. `--json` prints the report as JSON instead;
 * `--only=<id>,…` and `--transports=<name>,…` choose.
 */
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import { McpClientFaultSuite } from "../../src/index.ts"
import { codex } from "../faults/Subjects.ts"

const listOf = (name: string): ReadonlyArray<string> | undefined =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.slice(name.length + 3)
    .split(",")

const only = listOf("only")
const transports = listOf("transports") as ReadonlyArray<McpTransport> | undefined
const isJson = process.argv.includes("--json")

const report = await Effect.runPromise(
  McpClientFaultSuite.check(codex, {
    ...(only === undefined ? {} : { only }),
    ...(transports === undefined ? {} : { transports }),
  }),
)
process.stdout.write(isJson ? `${JSON.stringify(report, null, 2)}\n` : `${McpClientFaultSuite.format(report)}\n`)
process.exitCode = report.ok ? 0 : 1
