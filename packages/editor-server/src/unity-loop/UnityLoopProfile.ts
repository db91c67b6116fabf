/**
 * Unity with uLoopMCP: the editor lists its tools itself.
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { EditorProfile } from "../domain/EditorProfile.ts"
import * as OperationResult from "../domain/OperationResult.ts"
import * as ContentLength from "../infrastructure/link/ContentLength.ts"
import { dialect, listMethod, listParams } from "./UnityLoopDialect.ts"
import { read } from "./UnityLoopTools.ts"

/** How much longer than Unity's own limit of a call its answer may take. */
const afterUnity = Duration.seconds(10)
const usual = Duration.seconds(180)

/** `TimeoutSeconds` of a call is Unity's own limit, in seconds. */
const timeout: EditorProfile["timeout"] = ({ TimeoutSeconds: seconds }, base = usual) =>
  typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0 && seconds < 86_400
    ? Duration.max(base, Duration.sum(Duration.seconds(seconds), afterUnity))
    : base

export const unityLoop: EditorProfile = {
  name: "unity-loop",
  title: "Unity",
  framing: ContentLength.framing,
  dialect,
  catalogue: { _tag: "Dynamic", method: listMethod, params: listParams, read },
  linkPer: "client",
  inFlight: 1,
  reconnectDelay: () => Duration.seconds(1),
  timeout,
  result: (answer) => Result.succeed(OperationResult.make(answer)),
  startAdvice: "Open the project in Unity, and start the server in the window of uLoopMCP.",
  madeFor: "io.github.hatayama.uloopmcp 0.32 to 2.x",
}
