/**
 * Claude Code's hooks in `--settings` on its command line.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { type Host, isObject, type JsonObject } from "@zain/contract-tests/FakeDialect"

/** Runs every hook of an event in a shell, with the payload on standard input, and waits for them. */
export type RunHooks = (event: string, payload: JsonObject) => Promise<void>

/** The hooks of a command line. */
export const make = ({ args, env }: Host): RunHooks => {
  const hooks = hooksOf(settingsOf(args))
  return async (event, payload) => {
    const input = JSON.stringify({ ...payload, hook_event_name: event })
    await Promise.all(commandsOf(hooks[event]).map((command) => run(command, env, input)))
  }
}

const flag = "--settings"

const settingsOf = (args: ReadonlyArray<string>): unknown => {
  const at = args.indexOf(flag)
  const given = at < 0 ? args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1) : args[at + 1]
  if (given === undefined) return {}
  try {
    return JSON.parse(given.trimStart().startsWith("{") ? given : readFileSync(given, "utf8"))
  } catch {
    return {}
  }
}

const hooksOf = (settings: unknown): JsonObject => {
  if (!isObject(settings) || settings["disableAllHooks"] === true) return {}
  return isObject(settings["hooks"]) ? settings["hooks"] : {}
}

const commandsOf = (groups: unknown): ReadonlyArray<string> =>
  listOf(groups)
    .flatMap((group) => listOf(isObject(group) ? group["hooks"] : []))
    .flatMap((hook) => (isObject(hook) && typeof hook["command"] === "string" ? [hook["command"]] : []))

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const run = (command: string, env: Host["env"], input: string) =>
  new Promise<void>((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { env, stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => resolve())
    child.on("close", () => resolve())
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
