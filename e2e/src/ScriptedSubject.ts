/**
 * A real agent as a subject of the contract suite: its model follows the suite's script.
 */
import { ContractScript, PeerObservation } from "@zain/contract-tests"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as OwnProcesses from "./OwnProcesses.ts"
import { startModel } from "./RealAgents.ts"

const turnOf = (action: ContractScript.Action, crash: () => void): ScriptedTurn.ScriptedTurn => {
  switch (action._tag) {
    case "Say":
      return ScriptedTurn.text(action.text)
    case "Events":
      return ScriptedTurn.text(action.text, { chunks: action.pieces.length })
    case "Fail":
      return ScriptedTurn.httpError(403, { message: action.reason })
    case "Exit":
      crash()
      return ScriptedTurn.hang
    default:
      return ScriptedTurn.hang
  }
}

/** A model that follows the script, the homes of the agents in front of it, and what it saw of them. */
export const make = async () => {
  const record = PeerObservation.make()
  const homes: Array<string> = []
  const { claudeCode, codex, model } = await startModel((request: ModelRequest.ModelRequest) => {
    const prompt = request.userMessages.at(-1) ?? ""
    record.saw({ what: "received", prompt })
    void model.awaitGone(request).then(
      () => record.saw({ what: "cancelled", prompt }),
      () => {},
    )
    const crash = () => {
      for (const home of homes) OwnProcesses.crash(home, Number(new URL(model.url).port))
    }
    return turnOf(ContractScript.decide(request.userMessages), crash)
  })
  homes.push(codex.directory, claudeCode.directory)
  return {
    codex,
    claudeCode,
    peer: {
      ...record.observation,
      leftovers: Effect.sync(() =>
        homes.flatMap((home) => OwnProcesses.withEnvironment(home).map(({ command, pid }) => `${pid} ${command}`)),
      ),
    },
    end: () => model[Symbol.asyncDispose](),
  }
}
