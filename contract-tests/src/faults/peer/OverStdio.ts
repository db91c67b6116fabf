/** The program's part that serves one fault over standard input and output. */
import { saidFaults } from "../SaidFaults.ts"
import { stdioFaults } from "../StdioFaults.ts"
import { type Given, script } from "./Behaviour.ts"
import { note } from "./Notes.ts"
import * as StdioPeer from "./StdioPeer.ts"

/** The environment variable that holds the secret. */
const secretVariable = "ZAIN_FAULT_SECRET"

/** @param given the subject's answer and the path of the log, as JSON */
export const main = (id: string, given: string) => {
  const { log, ...settings } = JSON.parse(given) as Given & { readonly log: string }
  const peer = id === "sibling" ? {} : [...saidFaults, ...stdioFaults].find((fault) => fault.id === id)?.peer
  if (peer === undefined) throw new Error(`no such fault over stdio: ${id}`)
  note.to(log)
  note.started(process.pid)
  StdioPeer.serve(peer, script(settings, process.env[secretVariable] ?? ""))
}
