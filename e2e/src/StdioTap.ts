/**
 * Notes the prompts that reach the standard input of a program that speaks MCP, for `FakePeer.observe`. To be loaded
 * before the program: `node --import StdioTap.ts program`.
 */
import { appendFileSync } from "node:fs"
import { birthOf, type LogEntry, logVariable } from "@zain/contract-tests/FakePeerLog"
import * as Prompts from "./Prompts.ts"

const log = process.env[logVariable]
const note = (entry: LogEntry) => {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`)
}

note({ what: "started", pid: process.pid, born: birthOf("self") })

const read = Prompts.reader(note)
const input = process.stdin
const push = input.push.bind(input)
const decoder = new TextDecoder()
let rest = ""

input.push = (piece: unknown, encoding?: BufferEncoding) => {
  if (piece instanceof Uint8Array) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    lines.forEach(read)
  }
  return push(piece, encoding)
}
