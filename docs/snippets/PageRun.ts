/**
 * Runs the programs of a page as its reader would, but for the models: the real agents are on PATH, each with a private
 * home and a scripted model.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { ScriptedModel } from "@zain/scripted-model"
import type { Line } from "./PageRunner.ts"
import { root } from "./Pages.ts"
import * as Script from "./Script.ts"
import * as Snippet from "./Snippet.ts"
import { separator, type Workspace } from "./Workspace.ts"

/** A page has this long. It only ends what hangs. */
const limit = 240_000

const runner = join(root, "docs/snippets/PageRunner.ts")

/** What came of a page's programs. */
export const run = async (
  { page, programs, text }: Snippet.Page,
  workspace: Workspace,
): Promise<ReadonlyArray<Snippet.Problem>> => {
  const runs = new Map(
    programs.flatMap((program) => (program.use === "run" ? [[workspace.pathOf(program), program] as const] : [])),
  )
  if (runs.size === 0) return []
  const place = realpathSync(mkdtempSync(join(tmpdir(), "zain-snippets-")))
  try {
    await using model = await ScriptedModel.start({ respond: Script.respond(text) })
    const env = await environment(model, place)
    const lines: Array<Line> = []
    const left = [...runs.keys()]
    while (left.length > 0) {
      const report = join(place, `report-${left.length}.jsonl`)
      lines.push(...(await start([report, ...left], env, join(place, "work"), report)))
      // A program that ends the process ends it for itself alone.
      const tried = new Set(lines.map((line) => ("began" in line ? line.began : line.ended)))
      const before = left.length
      left.splice(0, left.length, ...left.filter((path) => !tried.has(path)))
      if (left.length === before) throw new Error(`${page}: the programs of this page cannot be started`)
    }
    return [...runs].flatMap(([path, program]) => problemsOf(program, outcomeOf(lines, path), workspace))
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Outcome {
  readonly stdout: string
  readonly failure: string | undefined
}

const outcomeOf = (lines: ReadonlyArray<Line>, path: string): Outcome => {
  const end = lines.find((line) => "ended" in line && line.ended === path)
  return end !== undefined && "ended" in end
    ? { stdout: end.stdout, failure: end.failure }
    : { stdout: "", failure: `it did not end within ${limit / 1000} seconds` }
}

const problemsOf = (
  { blocks, page }: Snippet.Program,
  { failure, stdout }: Outcome,
  { onPages }: Workspace,
): ReadonlyArray<Snippet.Problem> => {
  if (failure !== undefined) {
    const printed = stdout.replaceAll(separator, "")
    const message = `${onPages(failure)}${printed === "" ? "" : `\nIt had printed:\n${printed}`}`
    return [{ page, line: blocks[0]?.line ?? 0, message }]
  }
  const printed = stdout.split(separator)
  return blocks.flatMap((block, at) => {
    const message = wrongBox(block, printed[at] ?? "")
    return message === undefined ? [] : [{ page, line: block.output?.line ?? block.line, message }]
  })
}

const wrongBox = ({ code, output, words }: Snippet.Block, printed: string): string | undefined => {
  if (output !== undefined) {
    const message = `the block above prints something else.\nPage:\n${output.text}\nProgram:\n${printed}`
    return Snippet.prints(output.text, printed) ? undefined : message
  }
  if (words.noBox !== undefined) return undefined
  if (printed.trim() !== "") return `what this block prints is not in a box of \`text\` below it:\n${printed}`
  const isSilent = words.printsNothing || !code.some((line) => /\bconsole\.(?!error|warn)\w|\bstdout\b/.test(line))
  return isSilent ? undefined : "this block has words that print, but prints nothing: make it, or say `prints-nothing`"
}

/** What a reader has: both agents on PATH. Their models are scripted, and their homes are empty. */
const environment = async (model: ScriptedModel.StartedModel, place: string) => {
  const bin = join(place, "bin")
  mkdirSync(bin)
  mkdirSync(join(place, "work"))
  for (const name of ["codex", "claude"]) symlinkSync(join(root, "e2e/node_modules/.bin", name), join(bin, name))
  const home = join(place, "home")
  // The one key that every adapter for Codex hands on.
  const provider = { model_providers: { scripted: { env_key: "OPENAI_API_KEY" } } }
  const codex = await model.codex(home, { config: provider })
  const claudeCode = await model.claudeCode(home)
  return {
    ...codex.env,
    ...claudeCode.env,
    OPENAI_API_KEY: "none",
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
  }
}

const start = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  cwd: string,
  report: string,
): Promise<ReadonlyArray<Line>> => {
  const child = spawn(process.execPath, [...process.execArgv, runner, ...args], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "ignore", "ignore"],
  })
  const late = setTimeout(() => child.kill("SIGKILL"), limit)
  await once(child, "close")
  clearTimeout(late)
  return readFileSync(report, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)
}
