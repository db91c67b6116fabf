/**
 * The profile `unity` at the command line.
 */
import type { Environment } from "@zain/command/OptionTable"
import { quoted } from "@zain/editor-link/domain/Quoted"
import * as ToolSelection from "@zain/editor-link/domain/ToolSelection"
import * as PortRange from "@zain/editor-link/infrastructure/mcp/PortRange"
import type { FromEnvironment, ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

const usualPort = 6400

const given = (env: Environment, name: string): string => env[name]?.trim() ?? ""

const listOf = (env: Environment, name: string) =>
  given(env, name)
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "")

const whole = (env: Environment, name: string, otherwise: number, max: number): Result.Result<number, string> => {
  const text = given(env, name)
  if (text === "") return Result.succeed(otherwise)
  return /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= max
    ? Result.succeed(Number(text))
    : Result.fail(`${name} is ${quoted(text)}: expected a whole number from 1 to ${max}.`)
}

export const unityCommand = {
  name: "unity",
  about: "Unity with unity-mcp-server: 107 tools",
  profile: async ({ language } = { code: true, language: "en" }) => (await import("./UnityProfile.ts")).make(language),
  target: (env) =>
    Result.map(whole(env, "UNITY_PORT", usualPort, 65_535), (port) => ({
      host: given(env, "UNITY_HOST") || "127.0.0.1",
      port,
    })),
  environment: (env) =>
    Result.map(whole(env, "UNITY_COMMAND_TIMEOUT", 0, 86_400_000), (millis): FromEnvironment => {
      const projectRoot = given(env, "UNITY_PROJECT_ROOT")
      return {
        ...(millis === 0 ? {} : { timeout: Duration.millis(millis) }),
        ...(projectRoot === "" ? {} : { projectRoot }),
      }
    }),
  ...PortRange.from(usualPort),
  select: async (env, isCompact) => {
    const { leftOut } = await import("./UnityTools.ts")
    const include = listOf(env, "UNITY_MCP_TOOL_INCLUDE_CATEGORIES")
    const exclude = listOf(env, "UNITY_MCP_TOOL_EXCLUDE_CATEGORIES")
    return (tools, max) => ToolSelection.visible(tools, { max, include, exclude, leftOut, isCompact })
  },
  fake: async () => (await import("./fake/FakeUnity.ts")).start(),
  variables: `  UNITY_HOST, UNITY_PORT                    where Unity listens (default: 127.0.0.1, 6400)
  UNITY_COMMAND_TIMEOUT                     how long a call may take, in milliseconds (default: 30000)
  UNITY_PROJECT_ROOT                        the project's directory, for tools on its files
  UNITY_MCP_TOOL_INCLUDE_CATEGORIES, UNITY_MCP_TOOL_EXCLUDE_CATEGORIES
                                            which tools are listed, such as scene,gameobject`,
} satisfies ProfileCommand
