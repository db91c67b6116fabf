/**
 * The files that Claude Code's editing tools would write.
 *
 * @see Claude Code 2.1.332: measured. It requests the approval after it has found the text that an `Edit` replaces
 */
import { resolve } from "node:path"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import type { FileEdit } from "@zain/agent-server/FileChanges"
import { recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { parseObject } from "@zain/process/JsonRpc"

/**
 * The edits of a tool call; none for a tool that does not edit, or without the required input.
 *
 * @param path the file, as in the request
 * @param cwd base of a relative path
 */
export const editsOf = (tool: string, input: AgentMessage, path: string, cwd: string): ReadonlyArray<FileEdit> => {
  const after = isWriter(tool) ? writers[tool]?.(input) : undefined
  return after === undefined ? [] : [{ path, place: resolve(cwd, path), after }]
}

type After = FileEdit["after"]

const writers: Readonly<Record<string, (input: AgentMessage) => After | undefined>> = {
  Write: ({ content }) => (typeof content === "string" ? () => content : undefined),
  Edit: (input) => replacing([input]),
  MultiEdit: (input) => replacing(recordsOf(input, "edits")),
  NotebookEdit: (input) => (before) => notebook(before, input),
}

/** Whether a tool writes files. */
export const isWriter = (tool: string): boolean => Object.hasOwn(writers, tool)

const replacing =
  (edits: ReadonlyArray<AgentMessage>): After =>
  (before = "") => {
    let text = before
    for (const edit of edits) {
      const [from, to] = [textOf(edit, "old_string") ?? "", textOf(edit, "new_string") ?? ""]
      const next = text === "" && from === "" ? to : replaced(text, from, to, edit["replace_all"] === true)
      // The position of the text is unknown here.
      if (next === undefined) return { hunks: edits.map(hunk).join("") }
      text = next
    }
    return text
  }

const replaced = (text: string, from: string, to: string, isEverywhere: boolean): string | undefined => {
  const replace = (text: string) => {
    // A removed line is removed with its line break.
    const what = to === "" && !from.endsWith("\n") && text.includes(`${from}\n`) ? `${from}\n` : from
    return isEverywhere ? text.replaceAll(what, () => to) : text.replace(what, () => to)
  }
  if (from === "") return undefined
  if (text.includes(from)) return replace(text)
  // Claude Code edits files with CRLF as if they had LF.
  const plain = text.replaceAll("\r\n", "\n")
  return plain.includes(from) ? replace(plain).replaceAll("\n", "\r\n") : undefined
}

const hunk = (edit: AgentMessage): string => {
  const lines = (mark: string, name: string) =>
    (textOf(edit, name) || undefined)?.split("\n").map((line) => `${mark}${line}\n`) ?? []
  return ["@@ … @@\n", ...lines("-", "old_string"), ...lines("+", "new_string")].join("")
}

/** The notebook after the edit; only the new source when the cell is not found. */
const notebook = (
  before: string | undefined,
  input: AgentMessage,
): ReturnType<Extract<After, (before: never) => unknown>> => {
  const source = textOf(input, "new_source") ?? ""
  const unknown = { hunks: hunk({ new_string: source, old_string: "" }) }
  const book = parseObject(before ?? "")
  const cells = recordsOf(book ?? {}, "cells")
  const id = textOf(input, "cell_id")
  const numbered = /^cell-(\d+)$/.exec(id ?? "")?.[1]
  const found = cells.findIndex((cell) => cell["id"] === id)
  const at = found >= 0 || numbered === undefined ? found : Number(numbered)
  const mode = textOf(input, "edit_mode") ?? "replace"
  if (book === undefined || (mode !== "insert" && cells[at] === undefined)) return unknown
  const type = textOf(input, "cell_type")
  const ran = { execution_count: null, outputs: [] }
  const made = (cell: AgentMessage) => {
    const kind = type ?? textOf(cell, "cell_type")
    return { ...cell, ...(kind === undefined ? {} : { cell_type: kind }), source, ...(kind === "code" ? ran : {}) }
  }
  const next =
    mode === "delete"
      ? cells.toSpliced(at, 1)
      : mode === "insert"
        ? cells.toSpliced(at + 1, 0, made({ cell_type: "code", ...newId, source, metadata: {} }))
        : cells.with(at, made(cells[at] ?? {}))
  return `${JSON.stringify({ ...book, cells: next }, null, 1)}${before?.endsWith("\n") ? "\n" : ""}`
}

/** Placeholder of the id that Claude Code makes when it writes. */
const newId = { id: "…" }
