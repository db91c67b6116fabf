/**
 * The profile `unity-loop` at the command line.
 */
import { join } from "node:path"
import { quoted } from "@zain/editor-link/domain/Quoted"
import * as PortRange from "@zain/editor-link/infrastructure/mcp/PortRange"
import type { ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import { homeOf } from "@zain/process/StateFiles"
import * as Result from "effect/Result"

const portVariable = "UNITY_TCP_PORT"
const usualPort = 8700

export const unityLoopCommand: ProfileCommand = {
  name: "unity-loop",
  about: "Unity with uLoopMCP, whose tools Unity itself lists",
  profile: async () => (await import("./UnityLoopProfile.ts")).unityLoop,
  target: (env) => {
    const given = env[portVariable]?.trim() ?? ""
    const port = /^\d{1,5}$/.test(given) ? Number(given) : 0
    if (port >= 1 && port <= 65_535) return Result.succeed({ host: "127.0.0.1", port })
    const what = given === "" ? "is not set" : `is ${quoted(given)}`
    return Result.fail(
      `${portVariable} ${what}: set it to the port that the window of uLoopMCP shows in Unity, 1 to 65535 (usually ${usualPort}).`,
    )
  },
  ...PortRange.from(usualPort),
  logDirectory: (env) => join(homeOf(env), ".claude", "uloopmcp-logs"),
  fake: async () => (await import("./fake/FakeUnityLoop.ts")).start(),
  variables: `  ${portVariable}   the port of Unity; not needed with --editor, --fake or --replay`,
}
