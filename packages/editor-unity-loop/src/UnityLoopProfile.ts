/**
 * Unity with uLoopMCP: the editor lists its tools itself.
 */

import type { EditorProfile } from "@zain/editor-link/domain/EditorProfile"
import * as OperationResult from "@zain/editor-link/domain/OperationResult"
import * as ContentLength from "@zain/editor-link/infrastructure/link/ContentLength"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { dialect, listMethod, listParams } from "./UnityLoopDialect.ts"
import { read } from "./UnityLoopTools.ts"

export const unityLoop: EditorProfile = {
  name: "unity-loop",
  title: "Unity",
  framing: ContentLength.framing,
  dialect,
  catalogue: { _tag: "Dynamic", method: listMethod, params: listParams, read },
  linkPer: "client",
  inFlight: 1,
  reconnectDelay: () => Duration.seconds(1),
  usualTimeout: Duration.seconds(180),
  limit: ({ TimeoutSeconds: seconds }) =>
    typeof seconds === "number" && seconds > 0 && seconds < 86_400 ? Duration.seconds(seconds) : undefined,
  result: (answer) => Result.succeed(OperationResult.make(answer)),
  startAdvice: "Open the project in Unity, and start the server in the window of uLoopMCP.",
  madeFor: "io.github.hatayama.uloopmcp 0.32 to 2.x",
}
