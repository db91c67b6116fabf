/**
 * A Blender without a window that serves the bridge, until its Scope closes.
 *
 * @see PROTOCOL.md, a Blender without a window
 */
import { join } from "node:path"
import type { Environment as Variables } from "@zain/command/OptionTable"
import type { LaunchOptions } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as HostGuard from "@zain/process/HostGuard"
import { parseObject } from "@zain/process/JsonRpc"
import * as LineFramer from "@zain/process/LineFramer"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as StderrTail from "@zain/process/StderrTail"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BlenderProgram from "./BlenderProgram.ts"
import * as BridgeFiles from "./BridgeFiles.ts"
import * as BridgePackage from "./BridgePackage.ts"

export interface ProcessOptions extends LaunchOptions {
  /** A private directory, in which the bridge writes its file. */
  readonly directory: string
  /** The file for copies of the scene, see PROTOCOL.md. */
  readonly recovery: string
  /** Where `file` is such a copy, the scene's own file; empty for a scene that was never saved. */
  readonly restoredFrom?: string
}

export interface BlenderProcess extends Pick<OwnedProcess.OwnedProcess, "onEnd" | "diagnostics"> {
  /** The port and token of its bridge. */
  readonly bridge: BridgeFiles.Bridge
  /** The file of the bridge. */
  readonly infoFile: string
}

/** How long it may take to start: 2 to 7 s on a machine that is idle. */
const startTimeout = Duration.seconds(60)

/** How long it may take to end, before it is killed. The bridge gives itself as long. */
const endTimeout = Duration.seconds(10)

/** The longest line of its standard output. */
const maxLineLength = 64 * 1024

const ready = "zain-bridge "

const argumentsOf = ({ code, directory, file, files, recovery, restoredFrom }: ProcessOptions, run: string) => [
  ...["-b", "--factory-startup", ...(file === undefined ? [] : [file]), "--python", run, "--"],
  ...["--code", code ? "on" : "off", ...(files === undefined ? [] : ["--files", files])],
  ...["--recovery", recovery, ...(restoredFrom === undefined ? [] : ["--restored-from", restoredFrom])],
  ...["--info-dir", directory, "--exit-with-parent"],
]

/** Starts it, and waits until its bridge listens. Fails with one sentence. */
export const start = Effect.fnUntraced(function* (
  options: ProcessOptions,
  env: Variables,
): Effect.fn.Return<BlenderProcess, string, Scope.Scope> {
  const program = BlenderProgram.find(env)
  if ("problem" in program) return yield* Effect.fail(program.problem)
  const { directory, missing } = BridgePackage
  if (directory === undefined) return yield* Effect.fail(missing)
  const environment = BlenderProgram.environment(env)
  const owned = yield* OwnedProcess.start({
    command: program.path,
    args: argumentsOf(options, join(directory, "run.py")),
    // The bridge's modules may be where nothing can be written.
    env: { ...environment.env, PYTHONDONTWRITEBYTECODE: "1" },
    secrets: environment.secrets,
    // It may outlive this process by what its ending takes.
    ownTemporary: false,
    closeGrace: endTimeout,
  }).pipe(
    Effect.provide(HostGuard.unguarded),
    Effect.mapError(({ message }) => message),
  )
  const infoFile = yield* listening(owned).pipe(
    Effect.map((pid) => join(options.directory, `${pid}.json`)),
    Effect.timeoutOrElse({
      duration: startTimeout,
      orElse: () => Effect.fail(`Blender did not start within ${Duration.toSeconds(startTimeout)} s.`),
    }),
  )
  const bridge = yield* BridgeFiles.find({ by: "file", path: infoFile }, env)
  return { bridge, infoFile, onEnd: owned.onEnd, diagnostics: owned.diagnostics }
})

/** The number of its process, when its bridge listens. What it prints is read for as long as it runs. */
const listening = ({ diagnostics, onEnd, stdout }: OwnedProcess.OwnedProcess): Effect.Effect<number, string> =>
  Effect.callback((resume) => {
    const line = (text: string) => {
      if (text.startsWith(ready)) resume(Effect.succeed(Number(parseObject(text.slice(ready.length))?.["pid"])))
    }
    stdout.on("data", LineFramer.make(maxLineLength, { line, oversize: () => {} }))
    onEnd(({ exitCode, signal }) => {
      const how = signal === null ? `exit code ${exitCode}` : signal
      const words = StderrTail.lastWords(diagnostics().stderrTail)
      resume(Effect.fail(`Blender ended before its bridge listened (${how}).${words}`))
    })
  })
