/**
 * The conversations of a fake agent, kept in a directory, so that they outlive its process. It depends on nothing, so
 * that the process can import it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** `messages`: what the user said, oldest first. `cwd`: where it began. `hear`: keeps one message more. */
export interface Conversation {
  readonly id: string
  readonly cwd: string
  readonly messages: ReadonlyArray<string>
  readonly hear: (message: string) => void
}

/** `find`: one that somebody has said something in; `undefined` for any other. `begin`: one that is kept once used. */
export interface Conversations {
  readonly find: (id: string) => Conversation | undefined
  readonly begin: (id: string, cwd: string) => Conversation
}

/** @param directory is made when it is not there */
export const make = (directory: string): Conversations => {
  mkdirSync(directory, { recursive: true })
  const fileOf = (id: string) => join(directory, `${id}.jsonl`)
  const open = (id: string, cwd: string, earlier: ReadonlyArray<string>): Conversation => {
    const messages = [...earlier]
    return {
      id,
      cwd,
      messages,
      hear: (message) => {
        if (messages.length === 0) appendFileSync(fileOf(id), `${JSON.stringify(cwd)}\n`)
        messages.push(message)
        appendFileSync(fileOf(id), `${JSON.stringify(message)}\n`)
      },
    }
  }
  return {
    begin: (id, cwd) => open(id, cwd, []),
    find: (id) => {
      if (!isId(id) || !existsSync(fileOf(id))) return undefined
      const [cwd = "", ...messages] = readFileSync(fileOf(id), "utf8")
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as string]))
      return open(id, cwd, messages)
    },
  }
}

/** Whether an id is one that agents make: nothing else may touch a path. */
export const isId = (id: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(id)
