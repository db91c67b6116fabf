/**
 * A cluster of three runners: the one that holds a conversation is killed in the middle of a turn, another continues it.
 *
 *   pnpm demo:cluster
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, styleText } from "node:util"
import { ClusterMcpClient } from "@zain/cluster-client"
import { McpError, McpResult } from "@zain/core"
import { visible } from "@zain/core/TerminalText"
import { type ModelRequest, ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Cluster from "./Cluster.ts"

const usage = `Three runners over a PostgreSQL of their own hold a session of each agent. The runner of one is killed in the
middle of a turn; its conversation goes on at another runner.

  pnpm demo:cluster                both agents, as pinned by this repository, on scripted models
  ZAIN_LIVE=1 pnpm demo:cluster    your own codex and claude from PATH, with your own logins

Exit code: 0 if both agents remembered, and the models saw no prompt twice; 1 otherwise; 130 if interrupted.
`
const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } })
const { stderr, stdout } = process
const interrupt = new AbortController()
const { signal } = interrupt
const style = (format: "bold" | "dim" | "red", text: string) => styleText(format, text, { stream: stdout })
const print = (name: string, text: string) => stdout.write(`${style("bold", name.padEnd(12))}${text}\n`)
const since = (start: number) => style("dim", `  ${Math.round(performance.now() - start)} ms`)
const seconds = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`

const recall = "Which word did I ask you to remember? Answer in one short sentence."
const story = "Tell me a story of a thousand words."

/** The script of both models. A request holds the word only if the agent sent it again. */
const respond = ({ userMessages }: ModelRequest.ModelRequest) => {
  const word = /Remember this word: (\w+)/.exec(userMessages.join("\n"))?.[1]
  const last = userMessages.at(-1)
  const say = (text: string, pause = 40) => ScriptedTurn.text(text, { chunks: text.split(" ").length, pause })
  if (last === story) return say("Once upon a time there was a runner. ".repeat(40), 250)
  return say(last !== recall ? "I will remember it." : word === undefined ? "I know of no word." : `It was ${word}.`)
}

/** The agents of the runners, their workspace, and the home that all runners share: conversations are stored there. */
const place = async (directory: string, model: ScriptedModel.StartedModel | undefined): Promise<Cluster.Options> => {
  const workspace = join(directory, "workspace")
  mkdirSync(workspace)
  const homes = model && [await model.codex(directory), await model.claudeCode(directory)]
  const table = (agent: string, program: string, at: number) =>
    [
      `[agents.${agent}]`,
      `workspaces = { demo = ${JSON.stringify(workspace)} }`,
      ...(homes === undefined
        ? []
        : [
            `command = ${JSON.stringify(join(import.meta.dirname, "../node_modules/.bin", program))}`,
            `env = ${JSON.stringify(Object.keys(homes[at]?.env ?? {}))}`,
          ]),
    ].join("\n")
  const agents = `${table("codex", "codex", 0)}\n${table("claude-code", "claude", 1)}\n`
  return { directory, agents, env: Object.assign({}, ...(homes ?? []).map(({ env }) => env)), signal }
}

const demo = async () => {
  await using model = process.env["ZAIN_LIVE"] === "1" ? undefined : await ScriptedModel.start({ respond })
  if (model) stdout.write("No key is needed: both agents are real, their models are scripts.\n")
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "zain-demo-")))
  process.once("exit", () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  stderr.write("starting PostgreSQL and three runners …\n")
  const begun = performance.now()
  await using cluster = await Cluster.start(await place(directory, model))
  print("cluster", `${[...(await cluster.status()).keys()].join(", ")} are ready${since(begun)}`)

  const options = { acceptTimeout: "1 minute" } as const
  const connect = async (provider: string) =>
    McpResult.getOrThrow(await ClusterMcpClient.promise({ ...options, provider, database: cluster.database }))
  await using codex = await connect("codex")
  await using claude = await connect("claude-code")

  /** Opens a session at one of the runners. Returns how to prompt its agent. */
  const open = async (client: ClusterMcpClient.ClusterPromiseClient) => {
    const start = performance.now()
    const config = ClusterMcpClient.config(client.provider, { options: { cwd: "demo" } })
    const session = McpResult.getOrThrow(await client.openSession(config, { signal }))
    print(client.provider, `session ${session} is open${since(start)}`)
    return async (prompt: string, onText?: (text: string) => Promise<void>) => {
      print(client.provider, `> ${prompt}`)
      stderr.write(`${client.provider}: working …\n`)
      const asked = performance.now()
      let text = ""
      for await (const piece of client.stream(session, prompt, { signal })) {
        if (piece._tag === "TextDelta") text += piece.text
        if (piece._tag === "TextDelta") await onText?.(text)
        if (piece._tag !== "Response") continue
        print("", `< ${visible(piece.response.content)}${since(asked)}`)
        return piece.response.content
      }
      throw new Error("The turn has no answer.")
    }
  }
  const [askCodex, askClaude] = [await open(codex), await open(claude)]
  await askCodex("Remember this word: tangerine. Answer in one short sentence.")
  await askClaude("Remember this word: harbour. Answer in one short sentence.")

  let killed: { readonly address: string; readonly at: number } | undefined
  try {
    await askCodex(story, async (text) => {
      const [address] = [...(await cluster.status())].find(([, { turns }]) => turns > 0) ?? []
      if (killed !== undefined || address === undefined || text.length < 20) return
      print("", `< ${visible(text)}…`)
      print("cluster", style("red", `kill -9 of runner ${address}, which holds this session`))
      cluster.kill(address)
      killed = { address, at: performance.now() }
    })
  } catch (error) {
    if (killed === undefined || !McpError.isMcpError(error)) throw error
    const { _tag, delivery, message, reason } = error
    print("", `! ${_tag} (${reason}), delivery ${delivery}, ${seconds(killed.at)} after the kill`)
    print("", `! ${message}`)
  }
  const one = await askCodex(recall)
  const takeover = killed && seconds(killed.at)
  const other = await askClaude(recall)
  const held = [...(await cluster.status())].map(([address, { sessions }]) => `${sessions} at ${address}`)
  print("cluster", `sessions: ${held.join(", ")}`)

  const seen = Map.groupBy((await model?.requests()) ?? [], ({ api, userMessages }) => `${api} ${userMessages.at(-1)}`)
  const most = Math.max(1, ...[...seen.values()].map(({ length }) => length))
  const remembered = one.includes("tangerine") && other.includes("harbour")
  stdout.write(
    remembered
      ? `Both agents remembered. Codex answered at another runner ${takeover} after the kill. `
      : "An agent did not remember. ",
  )
  stdout.write(most === 1 ? "No prompt was sent twice.\n" : `A prompt was sent ${most} times.\n`)
  return killed !== undefined && remembered && most === 1 ? 0 : 1
}

for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupt.abort())
try {
  if (values.help === true) stdout.write(usage)
  else process.exitCode = await demo()
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1
  const text = McpError.isMcpError(error) ? `${error._tag} (${error.reason}): ${error.message}` : String(error)
  if (!signal.aborted) stderr.write(`${text}\n`)
}
