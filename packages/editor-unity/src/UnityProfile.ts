/**
 * Unity with unity-mcp-server: a fixed list of 107 tools.
 */

import type { EditorProfile } from "@zain/editor-link/domain/EditorProfile"
import type { Language } from "@zain/editor-link/domain/Language"
import * as LengthPrefix from "@zain/editor-link/infrastructure/link/LengthPrefix"
import { isRecord } from "@zain/process/JsonRpc"
import * as Duration from "effect/Duration"
import { dialect, unknownCommand } from "./UnityDialect.ts"
import * as UnityResult from "./UnityResult.ts"
import { toolsIn } from "./UnityTools.ts"

const maxDelaySeconds = 30
const jitter = 0.1

const isPong = (message: unknown): boolean =>
  isRecord(message) &&
  [message, message["result"], message["data"]].some((one) => isRecord(one) && one["message"] === "pong")

/** @param language of descriptions */
export const make = (language: Language): EditorProfile => ({
  name: "unity",
  title: "Unity",
  framing: LengthPrefix.framing,
  dialect,
  catalogue: { _tag: "Static", tools: toolsIn(language), unknownCommand },
  linkPer: "server",
  inFlight: 1,
  // 1, 2, 4 … 30 s, each a tenth more or less.
  reconnectDelay: (attempt, random) =>
    Duration.seconds(Math.min(maxDelaySeconds, 2 ** Math.min(attempt, 10)) * (1 - jitter + 2 * jitter * random)),
  usualTimeout: Duration.seconds(30),
  result: UnityResult.read,
  startAdvice: "Open the project in Unity, and check the port in the settings of its MCP server.",
  madeFor: "com.akiojin.unity-mcp-server 2.40 to 5.5",
  exposureAdvice:
    "Update the package to 3.2.0 or later, which listens on 127.0.0.1 alone by default, or block the port in the firewall.",
  // The bare word is answered by the thread that reads, also while the main thread is blocked.
  busyProbe: { text: "ping", isAnswer: isPong },
})

export const unity = make("en")
