/**
 * Runs the programs of a page as its reader would, but for the models: the real agents are on PATH, each with a private
 * home and a scripted model.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { ScriptedModel } from "@zain/scripted-model"
import * as Page from "./Page.ts"
import { root } from "./Pages.ts"
import * as Script from "./Script.ts"
import { node, type Workspace } from "./Workspace.ts"

/** What is wrong with what the programs of a page do. They run one after the other, with the same agents. */
export const run = async (
  { programs, text }: Page.Page,
  workspace: Workspace,
): Promise<ReadonlyArray<Page.Problem>> => {
  const runs = programs.filter(({ kind }) => kind === "run")
  if (runs.length === 0) return []
  const place = realpathSync(mkdtempSync(join(tmpdir(), "zain-snippets-")))
  try {
    await using model = await ScriptedModel.start({ respond: Script.respond(text) })
    const env = await environment(model, place)
    const problems: Array<Page.Problem> = []
    for (const program of runs) {
      const ended = await node([...process.execArgv, workspace.pathOf(program)], join(place, "work"), env)
      const message =
        ended.how === undefined ? wrongOutput(program, ended.stdout) : `${ended.how}\n${workspace.onPages(ended.said)}`
      const line = ended.how === undefined ? (program.output?.line ?? program.line) : program.line
      if (message !== undefined) problems.push({ page: program.page, line, message })
    }
    return problems
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

const wrongOutput = ({ code, output }: Page.Program, printed: string): string | undefined => {
  if (output !== undefined) {
    const message = `the block above prints something else.\nPage:\n${output.code}\nProgram:\n${printed}`
    return Page.prints(output.code, printed) ? undefined : message
  }
  if (printed.trim() !== "") return `what this block prints is not in a block of \`text\` below it:\n${printed}`
  return /\bconsole\.log\b|\bstdout\b/.test(code) ? "this block prints nothing, although its code could" : undefined
}

/** What a reader has: both agents and the editor server on PATH. Their models are scripted, and their homes are empty. */
const environment = async (model: ScriptedModel.StartedModel, place: string) => {
  const bin = join(place, "bin")
  for (const directory of [bin, join(place, "work")]) mkdirSync(directory)
  for (const name of ["codex", "claude"]) symlinkSync(join(root, "e2e/node_modules/.bin", name), join(bin, name))
  symlinkSync(join(root, "packages/editor-server/dist/zain-editor-mcp.js"), join(bin, "zain-editor-mcp"))
  const home = join(place, "home")
  // The one key that every adapter for Codex hands on.
  const provider = { model_providers: { scripted: { env_key: "OPENAI_API_KEY" } } }
  const codex = await model.codex(home, { config: provider })
  const claudeCode = await model.claudeCode(home)
  const path = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`
  return { ...compileCache(), ...codex.env, ...claudeCode.env, OPENAI_API_KEY: "none", PATH: path }
}
