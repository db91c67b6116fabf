/**
 * Checks whether a version of Codex has an MCP server of its own.
 */
import { stat } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"
import type { McpError } from "@zain/core/McpError"
import type { HostGuard } from "@zain/process/HostGuard"
import * as Failure from "@zain/sdk-client/Failure"
import type { StdioTarget } from "@zain/sdk-client/McpWire"
import * as SessionHost from "@zain/sdk-client/SessionHost"
import * as Effect from "effect/Effect"

/** The argument that starts Codex as an MCP server. */
export const serverArgument = "mcp-server"
/** The first version that reads `serverArgument` as a prompt. */
export const removedIn = [0, 154, 0] as const

/** The version that this release was tested with. */
export const tried = [0, 171, 0] as const

/**
 * Refuses a Codex without an MCP server. Reads the version once for each program file, not for each session.
 *
 * @returns a check that fails with `ConnectionUnavailable`, reason `not-an-mcp-server` or `spawn-failed`
 */
export const makeCheck = () => {
  const known = new Set<string>()
  return Effect.fnUntraced(function* (target: StdioTarget): Effect.fn.Return<void, McpError, HostGuard> {
    const at = target.args.indexOf(serverArgument)
    if (at < 0) return
    const file = yield* Effect.promise(() => identify(target))
    if (file !== undefined && known.has(file)) return
    const printed = yield* SessionHost.output({ ...target, args: [...target.args.slice(0, at), "--version"] })
    const version = /\b(\d+)\.(\d+)\.(\d+)\S{0,40}/.exec(printed)
    if (version !== null && isWithoutServer(Number(version[1]), Number(version[2]))) {
      return yield* Effect.fail(withoutServer(target.command, version[0]))
    }
    if (file !== undefined) known.add(file)
  })
}

export const isWithoutServer = (major: number, minor: number) =>
  major > removedIn[0] || (major === removedIn[0] && minor >= removedIn[1])

const withoutServer = (command: string, version: string) =>
  Failure.unavailable(
    "not-an-mcp-server",
    `${command} is Codex ${version}, and Codex has had no MCP server since 0.154. ` +
      "Use `CodexTransportFactory.local()` and the default profile, or install the last version with one, " +
      "npm install @openai/codex@0.153.4, and set `command` to it.",
    { server: command, delivery: "not-sent" },
  )

/** Identifies the program file; changes when the file is replaced. */
const identify = async ({ args, command, cwd, env }: StdioTarget): Promise<string | undefined> => {
  const folders = /[\\/]/.test(command)
    ? [isAbsolute(command) ? "" : (cwd ?? ".")]
    : (env["PATH"] ?? "").split(delimiter)
  for (const folder of folders) {
    const path = folder === "" ? command : join(folder, command)
    const file = await stat(path).catch(() => undefined)
    if (file?.isFile()) return JSON.stringify([path, file.mtimeMs, file.size, args])
  }
  return undefined
}
