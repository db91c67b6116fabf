/**
 * Runs before the misbehaving peer in its process, and does what a hook of Claude Code does: it reports the agent's text
 * before the call is answered.
 */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { answerText } from "../../../src/faults/peer/Behaviour.ts"

const directory = process.env["ZAIN_HOOKS"] ?? "."
const stop = { hook_event_name: "SubagentStop", agent_id: "agent-1", last_assistant_message: answerText }

const write = process.stdout.write.bind(process.stdout)
process.stdout.write = ((...said: Parameters<typeof write>) => {
  if (!String(said[0]).includes('"result"')) return write(...said)
  writeFileSync(join(directory, "peer.part"), JSON.stringify(stop))
  renameSync(join(directory, "peer.part"), join(directory, "peer.json"))
  return write(...said)
}) as typeof write
