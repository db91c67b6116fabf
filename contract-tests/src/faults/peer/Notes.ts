/**
 * The log of the peer's process over stdio, one JSON object a line. Written synchronously, as the peer may exit next.
 */
import { appendFileSync } from "node:fs"
import { birthOf } from "../../FakePeerLog.ts"

/** `born` tells a process from a later one with the same id; empty where the system has none. */
export type Note =
  | { readonly what: "started"; readonly pid: number; readonly born: string }
  | { readonly what: "call" | "cancelled" | "complaint"; readonly text: string }

let file: string | undefined

const write = (entry: Note) => {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`)
}

export const note = {
  to: (path: string) => {
    file = path
  },
  started: (pid: number) => write({ what: "started", pid, born: birthOf(pid) }),
  call: (text: string) => write({ what: "call", text }),
  cancelled: (text: string) => write({ what: "cancelled", text }),
  complaint: (text: string) => write({ what: "complaint", text }),
}
