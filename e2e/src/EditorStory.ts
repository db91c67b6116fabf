/**
 * What a model does in an editor by the tools that its agent offers: it builds, and continues after the tools have changed.
 */

import { unityTools } from "@zain/editor-unity/UnityTools"
import { loopTools } from "@zain/editor-unity-loop/fake/LoopTools"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { type Editor, type Server, tokenVariable } from "./EditorPlace.ts"

export type AgentName = "claudeCode" | "codex"

type Request = ModelRequest.ModelRequest
export type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

/**
 * How an agent has an MCP server of the name `editor`.
 *
 * - `add`: the arguments that add it; `build`: those that start the work
 * - `named`: the name that it gives a tool; `tool`: the same, as the model calls it
 * - `offered`: the tools of the server that a request offers, as it names them
 * - `load`: loads the definitions of tools, if the agent only lists their names
 * - `asksAgain`: whether the agent asks for the tools again after `notifications/tools/list_changed`
 */
interface Agent {
  readonly title: string
  readonly add: (server: Server) => ReadonlyArray<string>
  readonly build: ReadonlyArray<string>
  readonly named: (name: string) => string
  readonly tool: (name: string) => string
  readonly offered: (request: Request) => ReadonlySet<string>
  readonly load?: (names: ReadonlyArray<string>) => Call
  readonly asksAgain: boolean
}

export const agentNames: ReadonlyArray<AgentName> = ["claudeCode", "codex"]

const prompt = "Build a scene."

const variables = (flag: string, env: Readonly<Record<string, string>>) =>
  Object.entries(env).flatMap(([name, value]) => [flag, `${name}=${value}`])

const headers = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`])

const bearer = (headers: Readonly<Record<string, string>>) =>
  "Authorization" in headers ? ["--bearer-token-env-var", tokenVariable] : []

/** The names in this text after the agent's prefix, a line each. */
const names = (prefix: string, lines: ReadonlyArray<string>) =>
  lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length))

export const agents: Readonly<Record<AgentName, Agent>> = {
  claudeCode: {
    title: "Claude Code",
    add: (server) =>
      server.type === "http"
        ? ["mcp", "add", "--transport", "http", "editor", server.url, ...headers(server.headers)]
        : ["mcp", "add", "editor", ...variables("-e", server.env), "--", server.command, ...server.args],
    build: ["-p", prompt, "--allowedTools", "mcp__editor"],
    named: (name) => name.replaceAll(".", "_"),
    tool: (name) => `mcp__editor__${name.replaceAll(".", "_")}`,
    // The model receives the names of tools without loaded definitions, and later the added and removed ones.
    offered: ({ messages, tools }) => {
      const offered = new Set(names("mcp__editor__", tools))
      const texts = messages.filter(({ role }) => role === "system").map(({ text }) => text)
      for (const block of texts.join("\n").split(/(?=The following deferred tools are )/)) {
        const isGone = block.startsWith("The following deferred tools are no longer available")
        for (const name of names("mcp__editor__", block.split("\n"))) {
          if (isGone) offered.delete(name)
          else offered.add(name)
        }
      }
      return offered
    },
    load: (names) => ["ToolSearch", { query: `select:${names.join(",")}` }],
    asksAgain: true,
  },
  codex: {
    title: "Codex",
    add: (server) =>
      server.type === "http"
        ? ["mcp", "add", "editor", "--url", server.url, ...bearer(server.headers)]
        : ["mcp", "add", "editor", ...variables("--env", server.env), "--", server.command, ...server.args],
    // By default a tool that changes something requires approval, and a turn waits for servers for about a second only.
    build: ["exec", "--skip-git-repo-check"].concat(
      ["-c", 'mcp_servers.editor.default_tools_approval_mode="approve"'],
      ["-c", "mcp_servers.editor.required=true", prompt],
    ),
    named: (name) => name.replaceAll(/[-.]/g, "_"),
    tool: (name) => `mcp__editor.${name.replaceAll(/[-.]/g, "_")}`,
    offered: ({ tools }) => new Set(names("mcp__editor.", tools)),
    asksAgain: false,
  },
}

/**
 * The tools of an editor, and the work with them.
 *
 * - `listed`: all that clients receive
 * - `build`: the calls that make the objects `made`, which the result of `find` contains
 * - `renewal`: what happens to tools that can change
 */
export interface Tools {
  readonly listed: ReadonlyArray<string>
  readonly build: ReadonlyArray<Call>
  readonly made: ReadonlyArray<string>
  readonly find: Call
  readonly renewal?: Renewal
}

/** `change`: Unity loses the tool `gone`, and has `come` instead, where Unity lists its tools. */
export interface Renewal {
  readonly gone: string
  readonly come?: string
  readonly change: Effect.Effect<void>
}

const without = <Named extends { readonly name: string }>(tools: ReadonlyArray<Named>, gone: string) =>
  tools.filter(({ name }) => name !== gone)

const painting = { name: "paint-game-object", description: "Paints", parameterSchema: { Properties: {}, Required: [] } }

/** The objects that are made in Unity. */
const made = ["Table of the room", "Chair of the room"]

/** The tools of a fake Unity, by its profile. */
export const unityStories = {
  unity: ({ control }: Editor): Tools & { readonly renewal: Renewal } => ({
    listed: unityTools.map(({ name }) => name),
    build: made.map((name) => ["create_gameobject", { name, primitiveType: "cube" }]),
    made,
    find: ["find_gameobject", { name: "of the room" }],
    renewal: { gone: "list_scenes", change: control.setTools(without(unityTools, "list_scenes")) },
  }),
  "unity-loop": ({ control }: Editor): Tools & { readonly renewal: Renewal } => ({
    listed: loopTools.filter((tool) => !tool.displayDevelopmentOnly).map(({ name }) => name),
    build: made.map((Name) => ["create-game-object", { Name, PrimitiveType: "Cube" }]),
    made,
    find: ["find-game-objects", { NamePattern: "of the room", SearchMode: "Contains" }],
    renewal: {
      gone: "get-menu-items",
      come: painting.name,
      change: control.setTools([...without(loopTools, "get-menu-items"), painting]),
    },
  }),
}

/**
 * A call of a tool.
 *
 * - `name`: by which its last answer is found
 * - `before`: done before it; `until`: the call is repeated until this holds of the request with its answer
 */
interface Step {
  readonly name: string
  readonly call: Call
  readonly before?: Effect.Effect<void>
  readonly until?: (request: Request, answer: string) => boolean
}

/** What an agent does, by whether it asks for the tools again. */
const stepsOf = (agent: Agent, { build, find, renewal }: Tools): ReadonlyArray<Step> => {
  const step = (name: string, [tool, args]: Call): Step => ({ name, call: [agent.tool(tool), args] })
  /** An agent may start before the editor has listed its tools. */
  const load = (name: string): ReadonlyArray<Step> => {
    const tool = agent.tool(name)
    if (agent.load === undefined) return []
    return [{ name: "load", call: agent.load([tool]), until: ({ tools }) => tools.includes(tool) }]
  }
  // Codex may start before the server: it then has no tool, and calls nothing.
  const isKnown = (_: Request, answer: string) => !answer.startsWith("unsupported call")
  const built = build.flatMap((call, at) => [...load(call[0]), { ...step(`build ${at}`, call), until: isKnown }])
  if (renewal === undefined) return [...built, ...load(find[0]), step("find", find)]
  const { change, come, gone } = renewal
  const lose: Step = {
    ...step("gone", [gone, {}]),
    before: change,
    // The server has the new list when it no longer sends the call to Unity.
    until: (_, answer) => /has no tool/.test(answer),
  }
  const renew: Step = { ...step("renewed", find), until: (request) => !agent.offered(request).has(gone) }
  const use = come === undefined ? [] : [...load(come), step("come", [come, { Color: "red" }])]
  const renewed = agent.asksAgain ? [renew, ...use] : [{ ...step("kept", find), before: Effect.sleep(patience) }]
  return [...built, step("find", find), lose, ...renewed, step("end", find)]
}

/** How long an agent could ask again: the notification is sent up to 250 ms after the change. */
const patience = "700 millis"

/** How often a call may be repeated, which ends only what hangs, and the pause before it. */
const [maxRepeats, pause] = [500, "50 millis"] as const

/**
 * The work of one agent.
 *
 * - `respond`: the model
 * - `answers`: the last answer to each step, by its name
 */
export const play = (name: AgentName, tools: Tools) => {
  const answers = new Map<string, string>()
  const steps = stepsOf(agents[name], tools)
  let [at, repeats] = [-1, 0]
  const respond = (request: Request): Effect.Effect<ScriptedTurn.ScriptedTurn> => {
    const last = steps[at]
    const answer = request.toolResults.at(-1)?.text ?? ""
    if (last !== undefined) answers.set(last.name, answer)
    if (last?.until?.(request, answer) === false) {
      if (++repeats > maxRepeats) return Effect.succeed(ScriptedTurn.text(`${last.name} failed: ${answer}`))
      return Effect.succeed(ScriptedTurn.delay(pause, ScriptedTurn.toolCall(...last.call)))
    }
    const next = steps[++at]
    if (next === undefined) return Effect.succeed(ScriptedTurn.text("Built."))
    return Effect.as(next.before ?? Effect.void, ScriptedTurn.toolCall(...next.call))
  }
  return { answers, respond }
}
