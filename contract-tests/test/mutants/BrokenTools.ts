/** Clients whose tools of the session's own are broken. */
import { McpApproval, type McpConnectionConfig, type McpTool } from "@zain/core"
import type { Turn } from "@zain/core/AgentConnection"
import { Effect } from "effect"
import { opening } from "../../testing/mutants/Override.ts"
import { type Mutant, mutant, taking } from "./Mutant.ts"

type CallTool = Turn["callTool"]

/** Replaces how a driver's agents call tools. */
const calling = (change: (callTool: CallTool) => CallTool) =>
  taking((execute, request, turn) => execute(request, { ...turn, callTool: change(turn.callTool) }))

/** Changes the tools of a session before it opens. */
const giving = (change: (tool: McpTool) => McpTool) =>
  opening((open, config) => open(config.tools === undefined ? config : { ...config, tools: config.tools.map(change) }))

const without = ({ tools: _, ...config }: McpConnectionConfig): McpConnectionConfig => config

const neverAborted = new AbortController().signal

export const brokenTools: ReadonlyArray<Mutant> = [
  mutant("ignores tools that the agent does not take", "tools.called", {
    driver: (driver) => ({ ...driver, supports: { ...driver.supports, tools: false } }),
    adapter: opening((open, config) => open(without(config))),
  }),
  mutant("answers for a tool itself", "tools.called", {
    driver: calling(() => () => Effect.succeed({ text: "41 501", isError: false })),
  }),
  mutant("calls a tool twice", "tools.called", {
    driver: calling((callTool) => (name, args) => Effect.andThen(callTool(name, args), callTool(name, args))),
  }),
  mutant("omits the result of a tool", "tools.called", {
    driver: calling(
      (callTool) => (name, args) => Effect.map(callTool(name, args), (answer) => ({ ...answer, text: "" })),
    ),
  }),
  mutant("emits the events of a tool twice", "tools.events", {
    driver: taking((execute, request, turn) =>
      execute(request, {
        ...turn,
        emit: (event) => {
          if (event._tag === "ToolStarted") turn.emit(event)
          turn.emit(event)
        },
      }),
    ),
  }),
  mutant("does not check arguments", "tools.errors", {
    adapter: giving((tool) => ({ ...tool, input: { type: "object" } })),
  }),
  mutant("fails the turn with a tool", "tools.errors", {
    driver: taking((execute, request, turn) =>
      Effect.suspend(() => {
        let hasFailed = false
        const callTool: CallTool = (name, args) =>
          Effect.tap(turn.callTool(name, args), ({ isError }) => Effect.sync(() => (hasFailed ||= isError)))
        return Effect.map(execute(request, { ...turn, callTool }), (answer) => ({
          ...answer,
          isError: answer.isError || hasFailed,
        }))
      }),
    ),
  }),
  mutant("calls a tool that a rule declines", "tools.declined", {
    adapter: opening((open, config) =>
      Effect.provideService(open(config), McpApproval.McpSessionApproval, () => Effect.succeed(McpApproval.approve)),
    ),
  }),
  mutant("does not abort a tool with its turn", "tools.cancelled", {
    adapter: giving((tool) => ({
      ...tool,
      run: (args, context) => tool.run(args, { ...context, signal: neverAborted }),
    })),
  }),
  mutant("offers no tools to a session that continues a conversation", "tools.resumed", {
    adapter: opening((open, config) =>
      open(config.providerOptions?.["threadId"] === undefined ? config : without(config)),
    ),
  }),
]
