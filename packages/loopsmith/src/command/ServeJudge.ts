/**
 * `loopsmith serve`: serves the tools to MCP clients.
 */
import { Console } from "node:console"
import type { Environment } from "@zain/command/OptionTable"
import * as Secrets from "@zain/command/Secrets"
import * as Serving from "@zain/tool-server/Serve"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Evaluator } from "../Evaluator.ts"
import * as LoopSmithServer from "../server/LoopSmithServer.ts"
import * as Log from "./Log.ts"
import * as LoopAgents from "./LoopAgents.ts"
import type { Serve } from "./LoopCommandLine.ts"
import * as Masked from "./Masked.ts"

/** Serves until the stdio client leaves, and returns the exit code. A listening server runs until it is interrupted. */
export const run = Effect.fnUntraced(function* (line: Serve, version: string, env: Environment) {
  // A stray line on standard output would break the protocol.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { transport, judge, logLevel, maxIterations, target } = line
  const tokens = yield* Serving.tokensOf(transport)
  // Clients' tokens must not appear in logs and results.
  const mask = Secrets.masking(
    env,
    tokens.map(({ value }) => Redacted.value(value)),
  )
  const log = Log.layer({ level: logLevel, mask, write: (text) => void process.stderr.write(`${text}\n`) })
  const evaluator = yield* LoopAgents.evaluator(judge, env, mask)
  return yield* Effect.gen(function* () {
    yield* Effect.logDebug("serving").pipe(
      Effect.annotateLogs({ judge: judge.agent === "mock" ? judge.agent : judge.agent.name, over: transport.kind }),
    )
    const server = LoopSmithServer.make({
      evaluator: Masked.evaluator(yield* Evaluator, mask),
      version,
      targetScore: target,
      maxIterations,
    })
    const announce = transport.kind === "both" ? { announce: webSocket } : {}
    return yield* Serving.serve(server, transport, tokens, "loopsmith", {}, announce)
  }).pipe(Effect.provide(evaluator), Effect.provide(log))
})

/** The URL of WebSocket beside the one of Streamable HTTP. */
const webSocket = (url: string) => {
  const webSocketUrl = url.replace(/^http/, "ws")
  return { lines: [`Over WebSocket: ${webSocketUrl}`], json: { webSocketUrl } }
}
