/** The program: `pnpm soak`. */
import * as Options from "./soak/Options.ts"
import * as Screen from "./soak/Screen.ts"
import * as Soak from "./soak/Soak.ts"

const parsed = () => {
  try {
    return Options.parse(process.argv.slice(2))
  } catch (cause) {
    process.stderr.write(`${(cause as Error).message}\n\n${Options.help}`)
    return process.exit(2)
  }
}

const options = parsed()
if (options === "help") process.stdout.write(Options.help)
else {
  const screen = Screen.make(options)
  for (const transport of options.transports) {
    const verdict = await Soak.run(transport, options, screen)
    screen.verdict(verdict)
    if (!verdict.ok) process.exitCode = 1
  }
}
// Leaked resources could keep this program running.
if (process.exitCode === 1) process.stdout.write("", () => process.exit())
