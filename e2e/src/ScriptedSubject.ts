/**
 * A real agent as a subject of the contract suite: its model follows the suite's script.
 */
import { ContractScript, PeerObservation } from "@zain/contract-tests"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as OwnProcesses from "./OwnProcesses.ts"
import { startModel } from "./RealAgents.ts"

/** A command for which each agent needs approval. */
const question = {
  "openai-responses": {
    name: "exec_command",
    args: { cmd: "touch approved", sandbox_permissions: "require_escalated", justification: "May I?" },
  },
  "anthropic-messages": { name: "Bash", args: { command: "touch approved", description: "May I?" } },
}

/** What the agents tell their model of that command when it ran. */
const hasRun = /Process exited with code 0|completed with no output/

/** Asks, and says what it was told. */
const approve = ({ api, toolResults }: ModelRequest.ModelRequest, callId: string) => {
  const told = toolResults.find((result) => result.callId === callId)
  if (told !== undefined) return ScriptedTurn.text(ContractScript.decided(hasRun.test(told.text), told.text))
  const { args, name } = question[api]
  return ScriptedTurn.toolCall(name, args, { callId })
}

const turnOf = (
  action: ContractScript.Action,
  request: ModelRequest.ModelRequest,
  callId: string,
  crash: () => void,
): ScriptedTurn.ScriptedTurn => {
  switch (action._tag) {
    case "Say":
      return ScriptedTurn.text(action.text)
    case "Events":
      return ScriptedTurn.text(action.text, { chunks: action.pieces.length })
    case "Fail":
      return ScriptedTurn.httpError(403, { message: action.reason })
    case "Approve":
      return approve(request, callId)
    case "Exit":
      crash()
      return ScriptedTurn.hang
    default:
      return ScriptedTurn.hang
  }
}

const agentServer = /zain-(codex|claude-code)-mcp/

/**
 * Who dies when the script says so. `agent`: whoever asks the model. `agent-server`: the server in front of it.
 */
const crashes = {
  agent: (home: string, port: number) => OwnProcesses.crash(home, port),
  "agent-server": (home: string) =>
    OwnProcesses.killAtOnce(OwnProcesses.withEnvironment(home).filter(({ command }) => agentServer.test(command))),
}

/**
 * A model that follows the script, the homes of the agents in front of it, and what it saw of them.
 *
 * - `peer`: of sessions that have a server each
 * - `peerApart`: of sessions of a server that outlives them; their agents end soon after their client
 */
export const make = async (dies: keyof typeof crashes = "agent") => {
  const record = PeerObservation.make()
  const homes: Array<string> = []
  let hasCrashed = false
  const { claudeCode, codex, model } = await startModel((request: ModelRequest.ModelRequest) => {
    const prompt = request.userMessages.at(-1) ?? ""
    const callId = `call_${ContractScript.keys(request.userMessages).at(-1)}`
    // Once more, with what came of a tool: the same prompt.
    if (!request.toolResults.some((result) => result.callId === callId)) record.saw({ what: "received", prompt })
    void model.awaitGone(request).then(
      () => record.saw({ what: "cancelled", prompt }),
      () => {},
    )
    const crash = () => {
      hasCrashed = true
      for (const home of homes) crashes[dies](home, Number(new URL(model.url).port))
    }
    return turnOf(ContractScript.decide(request.userMessages), request, callId, crash)
  })
  homes.push(codex.directory, claudeCode.directory)
  const alive = Effect.sync(() =>
    OwnProcesses.exceptGuards(homes.flatMap((home) => OwnProcesses.withEnvironment(home))),
  )
  const agents = Effect.map(alive, (all) => all.filter(({ command }) => !agentServer.test(command)))
  const named = Effect.map((all: ReadonlyArray<OwnProcesses.OwnProcess>) =>
    all.map(({ command, pid }) => `${pid} ${command}`),
  )
  // Nobody but its guard ends the agents of a server that was killed.
  const atOnce = Effect.suspend(() => (hasCrashed && dies === "agent-server" ? soon(alive) : alive))
  return {
    codex,
    claudeCode,
    peer: { ...record.observation, leftovers: named(atOnce) },
    peerApart: { ...record.observation, leftovers: named(soon(agents)) },
    end: () => model[Symbol.asyncDispose](),
  }
}

/** Waits until there is nothing. The limit only ends the wait for what never goes, before the suite ends the case. */
const soon = <A>(look: Effect.Effect<ReadonlyArray<A>>) =>
  Effect.repeat(look, {
    until: ({ length }) => length === 0,
    schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "1 minute" })),
  }).pipe(Effect.andThen(look))
