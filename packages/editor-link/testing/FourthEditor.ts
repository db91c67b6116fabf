/**
 * A made-up editor: its messages are lines, and it has two tools.
 */

import { isRecord } from "@zain/process/JsonRpc"
import * as LineFramer from "@zain/process/LineFramer"
import { Duration, Effect, Result } from "effect"
import type { EditorTool } from "../src/domain/Catalogue.ts"
import type { EditorProfile } from "../src/domain/EditorProfile.ts"
import * as OperationResult from "../src/domain/OperationResult.ts"

const tool = (name: string, scope: "read" | "write"): EditorTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
  scopeOf: () => scope,
  read: (args) => Result.succeed(isRecord(args) ? args : {}),
})

let count = 0

export const fourthEditor: EditorProfile = {
  name: "fourth",
  title: "Fourth",
  framing: {
    encode: (text) => Buffer.from(`${text}\n`),
    decoder: (limit, { frame, oversize }) => {
      const push = LineFramer.make(limit, { line: frame, oversize: () => oversize("", limit + 1) })
      return (chunk) => void push(chunk)
    },
  },
  dialect: {
    nextId: () => `f${++count}`,
    request: (id, method, params) => ({ id, do: method, with: params }),
    read: (message) => {
      if (!isRecord(message)) return { _tag: "Noise" }
      if (message["notice"] === "tools") return { _tag: "Notice", kind: "tools-changed" }
      if (message["notice"] === "reload") return { _tag: "Notice", kind: "reloading" }
      if (message["notice"] === "quit") return { _tag: "Notice", kind: "quitting" }
      const id = typeof message["id"] === "string" ? message["id"] : undefined
      if ("no" in message) {
        return { _tag: "Answer", id, outcome: Result.fail({ message: String(message["no"]), reason: "editor" }) }
      }
      return "ok" in message ? { _tag: "Answer", id, outcome: Result.succeed(message["ok"]) } : { _tag: "Noise" }
    },
    hello: (ask, { clientName }) => Effect.as(ask("hi", { clientName }), {}),
  },
  catalogue: { _tag: "Static", tools: [tool("look", "read"), tool("draw", "write")], unknownCommand: "WHAT" },
  linkPer: "server",
  inFlight: 1,
  reconnectDelay: (attempt) => Duration.seconds(2 ** attempt),
  usualTimeout: Duration.seconds(30),
  result: (answer) => Result.succeed(OperationResult.make(answer)),
  startAdvice: "Start it.",
  madeFor: "tests",
}
