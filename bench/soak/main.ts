/** The program: `pnpm soak`. */
import * as Options from "./Options.ts"
import * as Screen from "./Screen.ts"
import * as Soak from "./Soak.ts"

const main = async (): Promise<number> => {
  const options = Options.parse(process.argv.slice(2))
  if (options === "help") {
    process.stdout.write(Options.help)
    return 0
  }
  if (options instanceof Error) {
    process.stderr.write(`${options.message}\n\n${Options.help}`)
    return 2
  }
  const screen = Screen.make(options)
  let ok = true
  for (const transport of options.transports) {
    const verdict = await Soak.run(transport, options, screen)
    screen.verdict(verdict)
    ok &&= verdict.ok
  }
  return ok ? 0 : 1
}

process.exitCode = await main()
// What is left could keep this program for ever.
if (process.exitCode === 1) process.stdout.write("", () => process.exit())
