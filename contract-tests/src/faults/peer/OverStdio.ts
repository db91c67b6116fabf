/** The program's part that serves one fault over standard input and output. */
import { approvalFaults } from "./ApprovalFaults.ts"
import { script } from "./Behaviour.ts"
import { eventFaults } from "./EventFaults.ts"
import { messageFaults } from "./MessageFaults.ts"
import { note } from "./Notes.ts"
import { stdioFaults } from "./StdioFaults.ts"
import * as StdioPeer from "./StdioPeer.ts"

/** Holds what the client gives in confidence. */
const secretVariable = "ZAIN_FAULT_SECRET"

/** @param given the good answer, and the file to note in, as JSON */
export const main = (fault: string, given: string) => {
  const { answer, log } = JSON.parse(given) as { readonly answer: string; readonly log: string }
  const behaviour = { ...messageFaults, ...approvalFaults, ...eventFaults, ...stdioFaults }[fault]
  if (behaviour === undefined) throw new Error(`no such fault over stdio: ${fault}`)
  note.to(log)
  note.started(process.pid)
  StdioPeer.serve(behaviour, script(answer, process.env[secretVariable] ?? ""))
}
