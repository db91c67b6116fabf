/**
 * How the models of Codex call its tools: three kinds, recognised by the tools that a request offers.
 *
 * @see Codex 0.169: measured
 */
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"

/**
 * - `unknown`: a model that Codex does not know calls tools, and writes patches by a command
 * - `tools`: has a tool for patches
 * - `code`: writes programs that call the tools, as all others do that Codex knows
 */
export const models = { unknown: "scripted-model", tools: "gpt-5.5", code: "gpt-6.1-sol" } as const

/** The parts of a request that show how its model calls tools. */
export type Offer = Pick<ModelRequest.ModelRequest, "tools">

/** A call of a tool by its name, as the model of this request makes it. */
export const call = ({ tools }: Offer, name: string, args: ScriptedTurn.ToolCall["arguments"]) =>
  tools.includes("functions.exec")
    ? ScriptedTurn.toolCall("exec", programOf(name, args))
    : ScriptedTurn.toolCall(name, args)

/** A command for which Codex needs approval. */
export const run = (offer: Offer, command: string) =>
  call(offer, "exec_command", { cmd: command, sandbox_permissions: "require_escalated", justification: "May I?" })

/** A patch, by its lines between the first and the last. */
export const patch = (offer: Offer, lines: ReadonlyArray<string>) => {
  const text = ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n")
  const hasTool = ["apply_patch", "functions.exec"].some((tool) => offer.tools.includes(tool))
  return hasTool
    ? call(offer, "apply_patch", text)
    : call(offer, "exec_command", { cmd: `apply_patch <<'PATCH'\n${text}PATCH\n` })
}

/** The patch that makes a file of one line. */
export const write = (offer: Offer, path: string, line: string) => patch(offer, [`*** Add File: ${path}`, `+${line}`])

const programOf = (name: string, args: ScriptedTurn.ToolCall["arguments"]) =>
  `const received = await tools.${name.replaceAll(".", "__")}(${JSON.stringify(args)}); text(typeof received === "string" ? received : JSON.stringify(received))`
