/**
 * The conversations of a fake agent, kept in a directory, so that they outlive its process. It depends on nothing, so
 * that the process can import it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * - `messages`: what the user said, oldest first
 * - `last`: what the client calls the last of them, if it said so
 * - `cwd`: where it began
 * - `hear`: keeps one message more
 */
export interface Conversation {
  readonly id: string
  readonly cwd: string
  readonly messages: ReadonlyArray<string>
  readonly last: () => string | null
  readonly hear: (message: string, clientId?: string) => void
}

/** One of them, as it is kept. */
interface Message {
  readonly text: string
  readonly clientId: string | undefined
}

/** `isId`: whether an id is one that agents make. `find`: one that has a message; `undefined` for any other. `begin`: one that is kept once used. */
export interface Conversations {
  readonly isId: (id: string) => boolean
  readonly find: (id: string) => Conversation | undefined
  readonly begin: (id: string, cwd: string) => Conversation
}

/** @param directory is made when it is not there */
export const make = (directory: string): Conversations => {
  mkdirSync(directory, { recursive: true })
  const fileOf = (id: string) => join(directory, `${id}.jsonl`)
  const open = (id: string, cwd: string, earlier: ReadonlyArray<Message>): Conversation => {
    const messages = earlier.map(({ text }) => text)
    let last = earlier.at(-1)?.clientId ?? null
    return {
      id,
      cwd,
      messages,
      last: () => last,
      hear: (text, clientId) => {
        if (messages.length === 0) appendFileSync(fileOf(id), `${JSON.stringify(cwd)}\n`)
        messages.push(text)
        last = clientId ?? null
        appendFileSync(fileOf(id), `${JSON.stringify({ text, clientId } satisfies Message)}\n`)
      },
    }
  }
  return {
    isId,
    begin: (id, cwd) => open(id, cwd, []),
    find: (id) => {
      if (!isId(id) || !existsSync(fileOf(id))) return undefined
      const [cwd = '""', ...messages] = readFileSync(fileOf(id), "utf8")
        .split("\n")
        .filter((line) => line !== "")
      return open(
        id,
        JSON.parse(cwd) as string,
        messages.map((line) => JSON.parse(line) as Message),
      )
    },
  }
}

/** Whether an id is one that agents make: nothing else may touch a path. */
const isId = (id: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(id)
