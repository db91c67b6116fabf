/**
 * `zain completions`: the completion script of a shell.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import * as Output from "../Output.ts"

const shells = ["bash", "zsh", "fish", "powershell"] as const

const description = `Prints a completion script for a shell: commands, options and their values.

bash:        zain completions bash > ~/.local/share/bash-completion/completions/zain
zsh:         zain completions zsh > "\${fpath[1]}/_zain"   (then start a new shell)
fish:        zain completions fish > ~/.config/fish/completions/zain.fish
powershell:  zain completions powershell | Out-String | Invoke-Expression   (in $PROFILE)`

/** Repeatable options; the library offers each once. */
const names = ["approve-command", "approve-command-matching", "approve-changes", "approve-tool", "env"].concat([
  "root",
  "allow-host",
  "allow-origin",
])
const repeatable = names.join("|")

/** How each script detects that an option was given. */
const offeredOnce: Readonly<Record<Completions.Shell, readonly [RegExp, string]>> = {
  bash: [new RegExp(`^( +--(?:${repeatable})\\)) _used_\\d+=1 ;;$`, "gm"), "$1 ;;"],
  zsh: [new RegExp(`'\\(--(${repeatable})\\)--(?=\\1\\[)`, "g"), "'*--"],
  fish: [new RegExp(`not __fish_contains_opt (?:${repeatable})(?=[;'])`, "g"), "true"],
  powershell: [
    /\$used\.ContainsKey\(\$flag\.name\)(?=\) \{ continue \})/g,
    `$& -and $flag.name -notin @(${names.map((name) => `'${name}'`).join(", ")})`,
  ],
}

/** Completes `--command` with files. */
const withFiles = (described: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...described,
  flags: described.flags.map((flag) =>
    flag.name === "command" ? { ...flag, type: { _tag: "Path", pathType: "file" } } : flag,
  ),
  subcommands: described.subcommands.map(withFiles),
})

/** The library's scripts mention `--completions`, which `zain` does not have. */
const script = (shell: Completions.Shell, described: Completions.CommandDescriptor): string =>
  Completions.generate("zain", shell, withFiles(described))
    .replaceAll("zain --completions", "zain completions")
    .replaceAll(...offeredOnce[shell])

/** @param described returns the commands of `zain` */
export const make = (described: () => Completions.CommandDescriptor) =>
  Command.make("completions", { shell: Argument.Literals("shell", shells) }, ({ shell }) =>
    Effect.suspend(() => Output.of(process.stdout).write(`${script(shell, described())}\n`)),
  ).pipe(
    Command.withDescription(description),
    Command.withShortDescription("Print completions for a shell"),
    Command.withExamples([{ command: 'eval "$(zain completions bash)"', description: "Complete zain in this shell" }]),
  )
