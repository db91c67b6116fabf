/**
 * Prints help and version to standard output, and wrong usage to standard error.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Output from "./Output.ts"

/** Replaces the output of `effect/cli`. */
export const layer = Layer.suspend(() => {
  const stdout = Output.of(process.stdout)
  const formatter = CliOutput.defaultFormatter({ colors: stdout.paint.isColorSupported, inheritedFlags: "none" })
  const present = (event: CliOutput.Presenter.Event): Effect.Effect<void> => {
    if (event._tag === "Version") return stdout.write(`${event.version}\n`)
    if (event._tag === "Help") {
      const help = `${spaced(formatter.formatHelpDoc(event.helpDoc))}\n`
      return Effect.flatMap(broken(help, stdout, "help"), stdout.write)
    }
    const command = event.commandPath.join(" ")
    return refuse(command, ...event.errors.map((error) => formatter.formatCliError(error)))
  }
  return Layer.merge(CliOutput.layer(formatter), CliOutput.layerPresenter({ present }))
})

/** Prints errors of a command line, and a line that names `--help`. */
export const refuse = (command: string, ...errors: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const stderr = Output.of(process.stderr)
    const lines = errors.map((error) => `${command}: ${error}\n`)
    return Effect.map(broken(`${lines.join("")}See ${command} --help.\n`, stderr), stderr.print)
  })

/** Breaks lines between words on a terminal; other outputs are not broken. */
export const broken = (text: string, output: Output.Output, how: "help" | "message" = "message") =>
  output.isTerminal
    ? Effect.map(
        Effect.promise(() => import("./HelpText.ts")),
        (HelpText) => HelpText[how](text, output.columns()),
      )
    : Effect.succeed(text)

/** The library prints no empty line between the commands and the examples. */
const spaced = (help: string): string => help.replace(/(?<=[^\n])\n(?=[^\n]{0,8}EXAMPLES)/, "\n\n")
