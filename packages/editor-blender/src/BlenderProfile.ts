/**
 * Blender with the bridge of this package: a fixed list of tools, resources, prompts and completions.
 */

import { alike } from "@zain/editor-link/domain/Catalogue"
import type { EditorProfile } from "@zain/editor-link/domain/EditorProfile"
import type { Language } from "@zain/editor-link/domain/Language"
import * as LengthPrefix from "@zain/editor-link/infrastructure/link/LengthPrefix"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as BlenderCompletions from "./BlenderCompletions.ts"
import { dialect } from "./BlenderDialect.ts"
import { prompts } from "./BlenderPrompts.ts"
import * as BlenderResources from "./BlenderResources.ts"
import * as BlenderResult from "./BlenderResult.ts"
import { routes } from "./BlenderRoutes.ts"
import { toolsIn } from "./BlenderTools.ts"

/** What Blender offers beside tools. */
const features =
  (isCodeOn: boolean, language: Language): NonNullable<EditorProfile["features"]> =>
  (content) => ({
    ...BlenderResources.listed(language),
    read: BlenderResources.reading(content),
    prompts: prompts(isCodeOn, language),
    complete: BlenderCompletions.completing(content),
  })

const withCode = (language: Language): EditorProfile => ({
  name: "blender",
  title: "Blender",
  framing: LengthPrefix.framing,
  dialect,
  catalogue: { _tag: "Static", tools: toolsIn(language) },
  linkPer: "server",
  inFlight: 64,
  reconnectDelay: () => Duration.seconds(1),
  usualTimeout: Duration.seconds(30),
  limit: ({ timeoutMs }) => (typeof timeoutMs === "number" ? Duration.millis(timeoutMs) : undefined),
  health: { method: "health", within: Duration.seconds(10) },
  result: (answer) => Result.succeed(BlenderResult.make(answer)),
  startAdvice:
    "Start the bridge in the panel of its add-on in Blender (zain-editor-mcp addon FILE.zip writes it), or have this server start a Blender: --launch.",
  madeFor: "Blender 3.4 and later, with the bridge of this package",
  tried: "in Blender 3.4.1 without a window",
  features: features(true, language),
  routes,
  guidance: "Lengths are metres, angles radians, colours 0 to 1. A call that fails leaves the scene as it was.",
  introduction: (serverVersion) => ({ serverName: "Blender GraphQL MCP", serverVersion }),
  aliases: { complete: "completion/complete" },
  batches: true,
})

const codeMethod = "code.run"

/** The same for a server that runs no Python code of clients, whatever the bridge allows. */
const withNoCode = (language: Language): EditorProfile => ({
  ...withCode(language),
  dialect: {
    ...dialect,
    deny: (method) =>
      method === codeMethod
        ? {
            message: "Python code is off in this server (--code off). Use command.apply.",
            reason: "editor",
            code: "PERMISSION_DENIED",
          }
        : undefined,
  },
  catalogue: {
    _tag: "Static",
    tools: toolsIn(language).map((tool) =>
      tool.name === "command.executeRaw" ? alike(tool, { isHidden: true }) : tool,
    ),
  },
  features: features(false, language),
})

/**
 * @param isCodeOn whether Python code of clients runs in Blender
 * @param language of descriptions
 */
export const make = (isCodeOn: boolean, language: Language): EditorProfile =>
  isCodeOn ? withCode(language) : withNoCode(language)

export const blender = make(true, "en")
export const withoutCode = make(false, "en")
