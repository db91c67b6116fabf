/**
 * The profile `blender` at the command line.
 */
import { type Environment, fromVariable } from "@zain/command/OptionTable"
import { oneOf } from "@zain/command/OptionValue"
import type { Target } from "@zain/editor-link/infrastructure/link/Target"
import type { ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as BridgeFiles from "./BridgeFiles.ts"

const levels = ["debug", "info", "warn", "error"] as const

/** A bridge is looked for whenever it is connected to: another Blender may run by then. */
const sought = (which: BridgeFiles.Wanted, env: Environment): Target => ({
  sought: BridgeFiles.describe(which),
  seek: Effect.map(BridgeFiles.find(which, env), BridgeFiles.placeOf),
})

export const blenderCommand: ProfileCommand = {
  name: "blender",
  about: "Blender with the bridge of this package: tools, resources and prompts",
  profile: async ({ code, language } = { code: true, language: "en" }) =>
    (await import("./BlenderProfile.ts")).make(code, language),
  needsToken: ({ code, fake, replay }) => code && !fake && replay === undefined,
  ownOptions: ["launch", "file", "files", "code"],
  launch: (options, env) =>
    Effect.flatMap(
      Effect.promise(() => import("./LaunchedBlender.ts")),
      ({ make }) => make(options, env),
    ),
  target: (env) => Result.succeed(sought({ by: "only" }, env)),
  editor: (given, env) => Result.map(BridgeFiles.wanted(given), (which) => sought(which, env)),
  environment: (env) =>
    Result.map(fromVariable(env, "MCP_LOG_LEVEL", oneOf(levels), "warn" as const), (clientLogLevel) => ({
      clientLogLevel,
    })),
  listening: { port: 3_000, variables: { host: "MCP_HOST", port: "MCP_PORT" } },
  places: (env) => Effect.map(BridgeFiles.running(env), (bridges) => bridges.map(BridgeFiles.placeOf)),
  usualPlaces: "by the files of its bridges",
  fake: async () => (await import("./fake/FakeBlender.ts")).start(),
  variables: `  BLENDER_PATH         the program that --launch of blender starts (default: blender on PATH)
  MCP_HOST, MCP_PORT   where http, sse and ws of blender listen (default: 127.0.0.1, 3000)
  MCP_LOG_LEVEL        what clients of blender receive of the log: debug, info, warn or error (default: warn)`,
}
