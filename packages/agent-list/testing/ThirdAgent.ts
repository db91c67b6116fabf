/**
 * A third agent, which answers with the prompt, for tests of commands and suites that receive a list of agents.
 */
import type { Agent as ServedAgent } from "@zain/agent-server/ServedAgent"
import * as AgentServer from "@zain/agent-server/ServerMain"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as TransportFactory from "@zain/sdk-client/TransportFactory"
import { Effect, Schema } from "effect"
import type { Agent } from "../src/Agent.ts"
import { thirdFake } from "./ThirdFake.ts"

const facts: AgentFacts = {
  name: "third",
  title: "Third",
  program: "third-agent",
  install: "npm install --global third-agent",
  logIn: "third-agent login",
  environment: ["THIRD_*"],
  quiet: {},
  server: "zain-third-mcp",
  factory: "ThirdTransportFactory",
  vendor: "third",
  oldest: [1, 0, 0],
  tried: [1, 2, 3],
  ownServer: () => undefined,
  question: "third-agent login",
  protocol: "third-agent",
  login: ({ print }) => Effect.map(print(["whoami"]), (who) => ({ login: { state: "in", how: who.trim() } })),
  check: () => Effect.succeed({ troubles: [] }),
}

const Options = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  cwd: Schema.optionalKey(Schema.String),
  threadId: Schema.optionalKey(Schema.String),
})

const { threadId: _, ...started } = Options.fields
const StartOptions = Schema.Struct(started)

const served: ServedAgent<typeof StartOptions.Type> = {
  name: "third",
  title: "Third",
  description: "Answers with what it is asked.",
  startOptions: StartOptions,
  check: () => Effect.void,
  redact: (text) => text,
  attach: Effect.succeed({
    begin: () => Effect.void,
    start: () => Effect.succeed("thread-1"),
    open: () => Effect.void,
    turn: (_threadId, { prompt }, { started }) =>
      Effect.sync(() => {
        started()
        return { content: `You said: ${prompt}`, isError: false }
      }),
  }),
}

const profile = AgentServerProfile.make<typeof Options.Type>({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: () => undefined,
  options: Options,
  environment: facts.environment,
  server: facts.server,
  tool: "third",
  toArguments: (options) => options,
  native: { server: "third/own", args: ["mcp"] },
})

/** @param program `zain` with this agent in its list, a module for `--conditions=zain-source` */
export const third = (program = ""): Agent => ({
  name: facts.name,
  folder: "packages/third-client",
  facts: async () => facts,
  client: async () => ({
    make: SdkMcpClient.make(profile),
    driver: SdkMcpClient.driver(TransportFactory.make(profile)),
    native: (options) => SdkMcpClient.make(profile, options),
    local: ({ command = facts.program, options, ...rest }) =>
      McpConnectionConfig.stdio({
        connectTimeout: "30 seconds",
        ...(rest.env === undefined ? {} : { env: rest.env }),
        ...(options === undefined ? {} : { providerOptions: { ...options } }),
        command: process.execPath,
        args: ["--conditions=zain-source", program, "serve", "third", "--command", command],
      }),
  }),
  serve: async () => (name, args) =>
    AgentServer.work({ ...facts, name, agent: async () => () => Effect.succeed(served) }, args),
  answerOnly: () => Promise.reject(new Error("It is asked for no documents here.")),
  fake: () => Promise.resolve(thirdFake),
})
