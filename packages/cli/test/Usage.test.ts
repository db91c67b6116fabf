/**
 * The frame of `zain`: help, version, wrong usage, and completions.
 */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Effect from "effect/Effect"
import * as Home from "../testing/run/Home.ts"
import { ended, inHome } from "../testing/run/Home.ts"

/** Runs a command line on an empty input, on a terminal of so many columns or into pipes. */
const ran = Effect.fnUntraced(function* (home: Home.Home, args: ReadonlyArray<string>, columns?: number) {
  const input = Readable.from([])
  const zain = yield* home.here(args, { TERM: "xterm" }, columns === undefined ? { input } : { columns, input })
  return { code: yield* zain.exit, output: zain.output(), errors: zain.errors() }
})

describe("zain", () => {
  inHome("prints help and version to standard output", function* (home) {
    for (const args of [[], ["--help"], ["-h"]]) {
      const { code, errors, output } = yield* ran(home, args)
      assert.strictEqual(code, 0)
      assert.strictEqual(errors, "")
      for (const command of ["run", "threads", "serve", "doctor", "mcp", "completions"])
        assert.match(output, new RegExp(`\\n  ${command} `))
    }
    assert.strictEqual((yield* ended(0, home.run(["--version"]))).output(), `${ownVersion}\n`)
    const help = yield* ran(home, ["run", "--help"])
    assert.strictEqual(help.code, 0)
    assert.include(help.output, "EXAMPLES\n")
  })

  inHome("exits with 2 for wrong usage, and prints the error and --help to standard error", function* (home) {
    const codex = ["run", "--provider", "codex"]
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["nope"], /^zain: Unknown subcommand "nope"/],
      [["--nope"], /--nope/],
      [["serve"], /agent/],
      [["serve", "cursor"], /"codex" \| "claude-code"/],
      [["serve", "codex", "ws"], /"stdio" \| "http" \| "sse"/],
      [["run", "--provider", "cursor", "hello"], /"codex" \| "claude-code"/],
      [[...codex, "hello", "you"], /you/],
      [[...codex, "--cwd", "nowhere", "hello"], /nowhere/],
      [
        [...codex, "- tidy the house"],
        /^zain run: "- tidy the house" is not an option\. Write -- before a prompt that begins with -\./,
      ],
      [[...codex, "-h elp"], /Write -- before/],
      [[...codex, "-ohno"], /Write -- before/],
      [[...codex, "--help me"], /Write -- before/],
      [[...codex, "--- a/file\n+++ b/file\nh"], /Write -- before/],
      [[...codex, "-nothing=h -h"], /Write -- before/],
      [["-the h"], /^zain: "-the h" is not an option/],
      [[...codex, "--approve-changes", "nowhere", "hello"], /nowhere/],
      [[...codex, "--timeout", "soon", "hello"], /a duration such as 30s, 10m or "5 minutes"/],
      [[...codex, "--timeout", "0s", "hello"], /a duration such as/],
      [[...codex, "--last", "--thread", "one", "hello"], /--last and --thread exclude each other: pass one of them/],
      [[...codex, "--last", "--fork", "one", "hello"], /--last and --fork exclude each other/],
      [[...codex, "--env", "NOT_SET", "hello"], /--env NOT_SET: the variable is not set/],
      [[...codex, "--approve-command-matching", "(", "hello"], /^zain run: --approve-command-matching: /],
      [[...codex, ""], /The prompt is empty\./],
      [[...codex, "-"], /The prompt is empty\./],
      [codex, /The prompt is empty\./],
    ]
    for (const [args, pattern] of wrong) {
      const { code, errors, output } = yield* ran(home, args)
      assert.deepStrictEqual([code, output], [2, ""], args.join(" "))
      assert.match(errors, pattern)
      assert.match(errors, /\nSee zain( run| serve)? --help\.\n$/)
    }
  })

  inHome("accepts a prompt that begins with - after --, and any value after =", function* (home) {
    const prompt = home.prompt("codex", "- help ⟦zain:say#a1 heard⟧")
    const heard = yield* ran(home, [...prompt.slice(0, -1), "--approve-command=npm test -h", "--", ...prompt.slice(-1)])
    assert.deepStrictEqual([heard.code, heard.output], [0, "heard\n"])
  })

  inHome("requires a prompt on a terminal, and prints how to pass it", function* (home) {
    const zain = yield* ended(2, home.terminal(["run", "--provider", "codex"]))
    assert.include(zain.output(), "A prompt is required. Write it in quotes")
  })
})

describe("lines on a terminal", () => {
  const words = (text: string) => text.split(/\s+/).filter((word) => !["", "\\", "#"].includes(word))

  inHome("of 40 columns break between words: help, errors and hints", function* (home) {
    const columns = 40
    const lines: ReadonlyArray<readonly [number, ReadonlyArray<string>]> = [
      ...["run", "serve", "doctor", "mcp list", "mcp call"].map(
        (command) => [0, [...command.split(" "), "--help"]] as const,
      ),
      [2, ["run", "--provider", "codex", "--env", "NOT_SET", "hello"]],
      [1, ["run", "hello"]],
      [1, ["run", "--provider", "codex", "hello"]],
    ]
    for (const [code, args] of lines) {
      const drawn = yield* ran(home, args, columns)
      assert.strictEqual(drawn.code, code, args.join(" "))
      const shown = Home.seen(`${drawn.output}${drawn.errors}`)
      assert.isEmpty(shown.split("\n").filter((line) => line.length > columns))
      const piped = yield* ran(home, args)
      assert.deepStrictEqual(words(shown), words(`${piped.output}${piped.errors}`))
    }
  })
})

describe("zain serve", () => {
  inHome("names the command that its user ran, on a terminal", function* (home) {
    const [, , , , command = ""] = home.prompt("codex", "")
    const zain = yield* home.terminal(["serve", "codex", "--command", command])
    yield* zain.says("output", /See zain serve codex --help\./)
  })
})

describe("zain completions", () => {
  /** What bash completes by a script. */
  const completes = (script: string) => (words: ReadonlyArray<string>) => {
    const line = words.join(" ")
    const asked = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE=${JSON.stringify(line)}; COMP_POINT=$\{#COMP_LINE}
      COMP_TYPE=9; $(complete -p zain | sed 's/.*-F \\([^ ]*\\) .*/\\1/') zain "$\{COMP_WORDS[COMP_CWORD]}"; printf '%s\\n' "$\{COMPREPLY[@]}"`
    const { stdout } = spawnSync("bash", ["--norc", "-c", asked, script, ...words], {
      encoding: "utf8",
      cwd: dirname(script),
    })
    return stdout
      .split("\n")
      .map((word) => word.trim())
      .filter((word) => word !== "")
  }

  inHome("completes commands, options and their values in bash", function* (home) {
    const script = join(home.path, "zain.bash")
    writeFileSync(script, (yield* ran(home, ["completions", "bash"])).output)
    assert.strictEqual(spawnSync("bash", ["-n", script]).status, 0)
    const complete = completes(script)
    assert.deepStrictEqual(complete(["zain", "ru"]), ["run"])
    assert.includeMembers(complete(["zain", ""]), ["run", "doctor", "mcp", "completions"])
    assert.deepStrictEqual(complete(["zain", "run", "--provider", "cl"]), ["claude-code"])
    assert.includeMembers(complete(["zain", "run", "--approve-c"]), ["--approve-command"])
    const given = ["--approve-command", "x", "--cwd", "y", "--env", "z"]
    const again = complete(["zain", "run", ...given, "--"])
    assert.includeMembers(again, ["--approve-command", "--env"])
    assert.notInclude(again, "--cwd")
    assert.deepStrictEqual(complete(["zain", "run", "--command", "zain.b"]), ["zain.bash"])
  })

  inHome("prints a script for each shell that names existing options alone", function* (home) {
    const again = {
      bash: /--approve-tool\) ;;/,
      zsh: /'\*--approve-tool\[/,
      fish: /and true' -f -a '--approve-tool'/,
      powershell: /ContainsKey\(\$flag\.name\) -and \$flag\.name -notin @\('approve-command', /,
    }
    for (const shell of ["bash", "zsh", "fish", "powershell"] as const) {
      const { code, output } = yield* ran(home, ["completions", shell])
      assert.strictEqual(code, 0)
      assert.include(output, "claude-code")
      assert.notInclude(output, "--completions")
      // Scripts treat repeatable options differently.
      assert.match(output, again[shell])
    }
  })
})
