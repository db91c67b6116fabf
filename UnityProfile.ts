/**
 * Unity with the MCP package of akiojin: a fixed catalogue.
 */
import * as Duration from "effect/Duration"
import type { EditorProfile } from "../domain/EditorProfile.ts"
import * as LengthPrefix from "../infrastructure/link/LengthPrefix.ts"
import { callTool, tools } from "./UnityCatalogue.ts"
import { dialect, isPong } from "./UnityDialect.ts"
import { unknownCommand } from "./UnityFailure.ts"
import { result } from "./UnityResult.ts"

/** In seconds. */
const longestDelay = 30

/** 1, 2, 4 … 30 s, 10 % more or less. */
const reconnectDelay: EditorProfile["reconnectDelay"] = (attempt, random) =>
  Duration.seconds(Math.min(2 ** attempt, longestDelay) * (0.9 + random * 0.2))

const usual = Duration.seconds(30)

export const unity: EditorProfile = {
  name: "unity",
  title: "Unity",
  port: 6400,
  framing: LengthPrefix.framing,
  dialect,
  catalogue: { _tag: "Static", tools: [...tools, callTool], unknownCommand },
  linkPer: "server",
  inFlight: 1,
  reconnectDelay,
  timeout: (_, base = usual) => base,
  result,
  startAdvice:
    "Open the project in Unity with the package com.akiojin.unity-mcp-server: it listens on port 6400 unless changed in the project settings.",
  madeFor: "com.akiojin.unity-mcp-server 2.40 to 5.5",
  busyProbe: { text: "ping", isAnswer: isPong },
}
