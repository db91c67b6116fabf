/**
 * The conversations of a fake agent, stored in a directory, so that they outlive its process. This module imports nothing
 * of the workspace, so that the process can import it.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
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
  /**
   * Appends an answer to the last message.
   *
   * @param text the agent's whole message
   */
  readonly say: (text: string) => void
}

/** A message of the user, and what the agent answered. */
export interface StoredTurn {
  /** The user's whole message. */
  readonly text: string
  /** The agent's messages, oldest first. */
  readonly answers: ReadonlyArray<string>
}

/** A stored conversation, for agents that list theirs. */
export interface Stored {
  /** The `threadId`, a UUID. */
  readonly id: string
  /** The working directory of the first turn. */
  readonly cwd: string
  /** The messages of the user, each with the agent's answers, oldest first. */
  readonly turns: ReadonlyArray<StoredTurn>
  /** When the last message was stored, in milliseconds since 1970. */
  readonly changedAt: number
  /** The title that a client gave it; absent if none did. */
  readonly title?: string
  /** Whether a client archived it; `false` if absent. */
  readonly isArchived?: boolean
}

/** A message as it is stored. */
type Message = { readonly text: string; readonly clientId?: string | undefined } | { readonly answer: string }

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
  /** Returns the stored conversations, those that changed last first. */
  readonly all: () => ReadonlyArray<Stored>
  /**
   * Stores a conversation, or what has changed of one.
   *
   * @param conversation title and archive replace what is stored under its `id`; the turns of a stored one stay
   */
  readonly store: (conversation: Omit<Stored, "changedAt">) => void
  /**
   * Deletes a conversation.
   *
   * @param id the `threadId` of a stored conversation
   */
  readonly remove: (id: string) => void
}

/**
 * Opens the conversations of a directory.
 *
 * @param directory created if missing
 */
export const make = (directory: string): Conversations => {
  mkdirSync(directory, { recursive: true })
  const fileOf = (id: string) => join(directory, `${id}.jsonl`)
  const aboutOf = (id: string) => join(directory, `${id}.about.json`)
  const linesOf = (id: string) =>
    readFileSync(fileOf(id), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
  const stored = (id: string): Stored => {
    const [cwd = "", ...messages] = linesOf(id) as [string, ...ReadonlyArray<Message>]
    const turns: Array<{ readonly text: string; readonly answers: Array<string> }> = []
    for (const message of messages) {
      if ("text" in message) turns.push({ text: message.text, answers: [] })
      else turns.at(-1)?.answers.push(message.answer)
    }
    const about = existsSync(aboutOf(id)) ? (JSON.parse(readFileSync(aboutOf(id), "utf8")) as object) : {}
    return { id, cwd, turns, changedAt: statSync(fileOf(id)).mtimeMs, ...about }
  }
  const open = (id: string, cwd: string, before: ReadonlyArray<Message>): Conversation => {
    const earlier = before.filter((message) => "text" in message)
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
      say: (answer) => {
        if (messages.length > 0) appendFileSync(fileOf(id), `${JSON.stringify({ answer } satisfies Message)}\n`)
      },
    }
  }
  return {
    isId,
    begin: (id, cwd) => open(id, cwd, []),
    find: (id) => {
      if (!isId(id) || !existsSync(fileOf(id))) return undefined
      const [cwd = "", ...messages] = linesOf(id) as [string, ...ReadonlyArray<Message>]
      return open(id, cwd, messages)
    },
    all: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => stored(name.slice(0, -".jsonl".length)))
        .toSorted((one, other) => other.changedAt - one.changedAt),
    store: ({ cwd, id, turns, ...about }) => {
      const lines = [cwd, ...turns.flatMap(({ answers, text }) => [{ text }, ...answers.map((answer) => ({ answer }))])]
      const isNew = !existsSync(fileOf(id))
      if (isNew) writeFileSync(fileOf(id), lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
      writeFileSync(aboutOf(id), JSON.stringify(about))
    },
    remove: (id) => {
      for (const path of [fileOf(id), aboutOf(id)]) rmSync(path, { force: true })
    },
  }
}

/** Only a UUID may become part of a path. */
const isId = (id: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(id)
