/**
 * The conversations of a fake agent, stored in a directory, so that they outlive its process. This module imports nothing
 * of the workspace, so that the process can import it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** What a fake agent has stored under one `threadId`; every turn reads it and appends to it. */
export interface Conversation {
  /** The `threadId`, a UUID. */
  readonly id: string
  /** The working directory of the first turn. */
  readonly cwd: string
  /** The user's messages, oldest first. */
  readonly messages: ReadonlyArray<string>
  /** Returns the client's own id of the last message; `null` if it sent none. */
  readonly last: () => string | null
  /**
   * Appends a message to `messages`.
   *
   * @param message the user's whole message
   * @param clientId the client's own id of the message
   */
  readonly hear: (message: string, clientId?: string) => void
}

/** A message as it is stored. */
interface Message {
  readonly text: string
  readonly clientId: string | undefined
}

/** The conversations of a fake agent, stored in a directory, so that they outlive its process. */
export interface Conversations {
  /**
   * Returns whether a text is a UUID in lower case, the form of every `threadId`; such a conversation need not exist.
   *
   * @param id any text
   */
  readonly isId: (id: string) => boolean
  /**
   * Returns a conversation that has a message; `undefined` if there is none.
   *
   * @param id the `threadId` to look up; a text that is no UUID finds nothing
   */
  readonly find: (id: string) => Conversation | undefined
  /**
   * Starts a conversation. It is stored with its first message.
   *
   * @param id the `threadId` of the new conversation, a UUID
   * @param cwd the working directory of the conversation's first turn
   */
  readonly begin: (id: string, cwd: string) => Conversation
}

/**
 * Opens the conversations of a directory.
 *
 * @param directory created if missing
 */
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

/** Only a UUID may become part of a path. */
const isId = (id: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(id)
