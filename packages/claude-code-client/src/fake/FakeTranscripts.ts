/**
 * The conversations of a fake Claude Code as transcripts in Claude Code's own form. Imports nothing of the workspace but types.
 *
 * @see Claude Code 2.1.332: measured
 */
import { randomUUID } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  type Conversation,
  type Conversations,
  isObject,
  type JsonObject,
  textOf,
} from "@zain/contract-tests/FakeDialect"

/** @param projects Claude Code's directory of transcripts */
export const make = (
  projects: string,
  { isId }: Pick<Conversations, "isId">,
): Pick<Conversations, "begin" | "find" | "isId"> => {
  const folderOf = (cwd: string) => join(projects, cwd.replaceAll(/[^A-Za-z0-9]/gu, "-"))
  const open = (id: string, cwd: string, file: string, before: ReadonlyArray<JsonObject>): Conversation => {
    const messages = before
      .filter(({ type }) => type === "user")
      .map(({ message }) => textOf(isObject(message) ? message["content"] : ""))
    let parentUuid = before.map(({ uuid }) => uuid).findLast((uuid) => uuid !== undefined) ?? null
    const write = (type: string, message: JsonObject) => {
      const uuid = randomUUID()
      const about = { cwd, sessionId: id, isSidechain: false, timestamp: new Date().toISOString() }
      mkdirSync(join(file, ".."), { recursive: true })
      appendFileSync(file, `${JSON.stringify({ parentUuid, uuid, type, message, ...about })}\n`)
      parentUuid = uuid
    }
    return {
      id,
      cwd,
      messages,
      last: () => null,
      hear: (text) => {
        messages.push(text)
        write("user", { role: "user", content: text })
      },
      say: (text) => write("assistant", { role: "assistant", model: "fake-model", content: [{ type: "text", text }] }),
    }
  }
  return {
    isId,
    begin: (id, cwd) => open(id, cwd, join(folderOf(cwd), `${id}.jsonl`), []),
    find: (id) => {
      if (!isId(id) || !existsSync(projects)) return undefined
      const file = readdirSync(projects)
        .map((folder) => join(projects, folder, `${id}.jsonl`))
        .find(existsSync)
      if (file === undefined) return undefined
      const lines = readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
      const entries = lines.map((line) => JSON.parse(line) as JsonObject)
      return open(id, String(entries[0]?.["cwd"] ?? ""), file, entries)
    },
  }
}
