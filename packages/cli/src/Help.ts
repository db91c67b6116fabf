/**
 * Help and version, for whoever asks, on standard output; what is wrong with a command line, on standard error.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Output from "./Output.ts"

/** Replaces how `effect/cli` says things. */
export const layer = Layer.suspend(() => {
  const stdout = Output.of(process.stdout)
  const stderr = Output.of(process.stderr)
  const formatter = CliOutput.defaultFormatter({ colors: stdout.paint.isColorSupported, inheritedFlags: "none" })
  const present = (event: CliOutput.Presenter.Event): Effect.Effect<void> => {
    if (event._tag === "Version") return stdout.write(`${event.version}\n`)
    if (event._tag === "Help") return stdout.write(`${spaced(formatter.formatHelpDoc(event.helpDoc))}\n`)
    const command = event.commandPath.join(" ")
    const lines = event.errors.map((error) => `${command}: ${formatter.formatCliError(error)}\n`)
    return Effect.sync(() => stderr.print(`${lines.join("")}See ${command} --help.\n`))
  }
  return Layer.merge(CliOutput.layer(formatter), CliOutput.layerPresenter({ present }))
})

/** The library leaves no empty line between the commands and the examples. */
const spaced = (help: string): string => help.replace(/(?<=[^\n])\n(?=[^\n]{0,8}EXAMPLES)/, "\n\n")
