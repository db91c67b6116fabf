/**
 * What a model does in Unity by the tools that its agent offers: it builds, and goes on when the tools have changed.
 */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { loopTools } from "../../packages/editor-server/src/fake/LoopTools.ts"
import { unityTools } from "../../packages/editor-server/src/unity/UnityTools.ts"
import type { Editor, Profile, Server } from "./EditorPlace.ts"

export type AgentName = "claudeCode" | "codex"

type Request = ModelRequest.ModelRequest
type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

/**
 * How an agent has an MCP server of the name `unity`.
 *
 * - `add`: the arguments that add it; `build`: those that start the work
 * - `named`: the name that it gives a tool; `tool`: the same, as the model calls it
 * - `offered`: the tools of the server that a request offers, as it names them
 * - `load`: loads the definitions of tools, where the agent names them only
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

const prompt = "Build a room."

const variables = (flag: string, env: Readonly<Record<string, string>>) =>
  Object.entries(env).flatMap(([name, value]) => [flag, `${name}=${value}`])

/** The names in this text after the agent's prefix, a line each. */
const names = (prefix: string, lines: ReadonlyArray<string>) =>
  lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length))

const underscored = (name: string) => name.replaceAll("-", "_")

export const agents: Readonly<Record<AgentName, Agent>> = {
  claudeCode: {
    title: "Claude Code",
    add: (server) =>
      server.type === "http"
        ? ["mcp", "add", "--transport", "http", "unity", server.url]
        : ["mcp", "add", "unity", ...variables("-e", server.env), "--", server.command, ...server.args],
    build: ["-p", prompt, "--allowedTools", "mcp__unity"],
    named: (name) => name,
    tool: (name) => `mcp__unity__${name}`,
    // The model is given the names of those whose definitions are not loaded, and later those that have come or gone.
    offered: ({ messages, tools }) => {
      const offered = new Set(names("mcp__unity__", tools))
      const texts = messages.filter(({ role }) => role === "system").map(({ text }) => text)
      for (const block of texts.join("\n").split(/(?=The following deferred tools are )/)) {
        const isGone = block.startsWith("The following deferred tools are no longer available")
        for (const name of names("mcp__unity__", block.split("\n"))) {
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
        ? ["mcp", "add", "unity", "--url", server.url]
        : ["mcp", "add", "unity", ...variables("--env", server.env), "--", server.command, ...server.args],
    // A tool that changes something needs approval otherwise.
    build: ["exec", "--skip-git-repo-check", "-c", 'mcp_servers.unity.default_tools_approval_mode="approve"', prompt],
    named: underscored,
    tool: (name) => `mcp__unity.${underscored(name)}`,
    offered: ({ tools }) => new Set(names("mcp__unity.", tools)),
    asksAgain: false,
  },
}

/**
 * The tools of a fake.
 *
 * - `listed`: all that clients are given
 * - `create`, `find`: the calls that make an object of a name, and that find it
 * - `gone`: the tool that Unity loses, and `come`: the one that it has instead, where Unity lists its tools
 */
interface Tools {
  readonly listed: ReadonlyArray<string>
  readonly create: (name: string) => Call
  readonly find: Call
  readonly gone: string
  readonly come?: string
  readonly change: (editor: Editor) => Effect.Effect<void>
}

const without = <Named extends { readonly name: string }>(tools: ReadonlyArray<Named>, gone: string) =>
  tools.filter(({ name }) => name !== gone)

const painting = { name: "paint-game-object", description: "Paints", parameterSchema: { Properties: {}, Required: [] } }

export const tools: Readonly<Record<Profile, Tools>> = {
  unity: {
    listed: unityTools.map(({ name }) => name),
    create: (name) => ["create_gameobject", { name, primitiveType: "cube" }],
    find: ["find_gameobject", { name: "of the room" }],
    gone: "list_scenes",
    change: ({ control }) => control.setTools(without(unityTools, "list_scenes")),
  },
  "unity-loop": {
    listed: loopTools.filter((tool) => !tool.displayDevelopmentOnly).map(({ name }) => name),
    create: (Name) => ["create-game-object", { Name, PrimitiveType: "Cube" }],
    find: ["find-game-objects", { NamePattern: "of the room", SearchMode: "Contains" }],
    gone: "get-menu-items",
    come: painting.name,
    change: ({ control }) => control.setTools([...without(loopTools, "get-menu-items"), painting]),
  },
}

/** The objects that are made. */
export const objects: ReadonlyArray<string> = ["Table of the room", "Chair of the room"]

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
const stepsOf = (agent: Agent, { change, come, create, find, gone }: Tools, editor: Editor) => {
  const step = (name: string, [tool, args]: Call): Step => ({ name, call: [agent.tool(tool), args] })
  /** An agent may begin before Unity has listed its tools. */
  const load = (name: string): ReadonlyArray<Step> => {
    const tool = agent.tool(name)
    if (agent.load === undefined) return []
    return [{ name: "load", call: agent.load([tool]), until: ({ tools }) => tools.includes(tool) }]
  }
  // Codex may begin before the server has: it does not know the tool then, and calls nothing.
  const isKnown = (_: Request, answer: string) => !answer.startsWith("unsupported call")
  const build = objects.flatMap((name) => [...load(create(name)[0]), { ...step(name, create(name)), until: isKnown }])
  const lose: Step = {
    ...step("gone", [gone, {}]),
    before: change(editor),
    // The server has the new list when it does not send the call to Unity any more.
    until: (_, answer) => /has no tool/.test(answer),
  }
  const renew: Step = { ...step("renewed", find), until: (request) => !agent.offered(request).has(gone) }
  const use = come === undefined ? [] : [...load(come), step("come", [come, { Color: "red" }])]
  const renewed = agent.asksAgain ? [renew, ...use] : [{ ...step("kept", find), before: Effect.sleep(patience) }]
  return [...build, step("find", find), lose, ...renewed, step("end", find)]
}

/** How long an agent that does not ask again has for it: the notification is sent up to 250 ms after the change. */
const patience = "700 millis"

/** How often a call may be repeated, which only ends what hangs, and the pause before it. */
const [mostRepeats, pause] = [500, "50 millis"] as const

/**
 * Plays the work of one agent.
 *
 * - `respond`: the model
 * - `answers`: the last answer to each step, by its name
 */
export const play = (name: AgentName, profile: Profile, editor: Editor) => {
  const answers = new Map<string, string>()
  const steps = stepsOf(agents[name], tools[profile], editor)
  let [at, repeats] = [-1, 0]
  const respond = (request: Request): Effect.Effect<ScriptedTurn.ScriptedTurn> => {
    const last = steps[at]
    const answer = request.toolResults.at(-1)?.text ?? ""
    if (last !== undefined) answers.set(last.name, answer)
    if (last?.until?.(request, answer) === false) {
      if (++repeats > mostRepeats) return Effect.succeed(ScriptedTurn.text(`${last.name} failed: ${answer}`))
      return Effect.succeed(ScriptedTurn.delay(pause, ScriptedTurn.toolCall(...last.call)))
    }
    const next = steps[++at]
    if (next === undefined) return Effect.succeed(ScriptedTurn.text("Built."))
    return Effect.as(next.before ?? Effect.void, ScriptedTurn.toolCall(...next.call))
  }
  return { answers, respond }
}
