/**
 * The conversations of a fake agent, stored in a directory, so that they outlive its process. This module imports nothing
 * of the workspace, so that the process can import it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
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

/** A conversation as it is stored. */
interface Kept extends Stored {
  readonly turns: Array<{
    readonly text: string
    readonly clientId?: string | undefined
    readonly answers: Array<string>
  }>
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
  const fileOf = (id: string) => join(directory, `${id}.json`)
  const kept = (id: string) =>
    existsSync(fileOf(id)) ? (JSON.parse(readFileSync(fileOf(id), "utf8")) as Kept) : undefined
  /** Leaves a whole file, even if the process is killed meanwhile. */
  const write = (conversation: Stored) => {
    const path = fileOf(conversation.id)
    writeFileSync(`${path}.new`, JSON.stringify(conversation))
    renameSync(`${path}.new`, path)
  }
  const open = ({ cwd, id, turns }: Pick<Kept, "cwd" | "id" | "turns">): Conversation => {
    const messages = turns.map(({ text }) => text)
    let last = turns.at(-1)?.clientId ?? null
    const change = (next: (turns: Kept["turns"]) => void) => {
      const before = kept(id) ?? { id, cwd, turns: [] }
      next(before.turns)
      write({ ...before, changedAt: Date.now() })
    }
    return {
      id,
      cwd,
      messages,
      last: () => last,
      hear: (text, clientId) => {
        messages.push(text)
        last = clientId ?? null
        change((turns) => turns.push({ text, clientId, answers: [] }))
      },
      say: (answer) => {
        if (existsSync(fileOf(id))) change((turns) => turns.at(-1)?.answers.push(answer))
      },
    }
  }
  return {
    isId,
    begin: (id, cwd) => open({ id, cwd, turns: [] }),
    find: (id) => {
      const found = isId(id) ? kept(id) : undefined
      return found && open(found)
    },
    all: () =>
      readdirSync(directory)
        .flatMap((name) => (name.endsWith(".json") && kept(name.slice(0, -".json".length))) || [])
        .toSorted((one, other) => other.changedAt - one.changedAt),
    store: (conversation) => {
      const { changedAt, cwd, turns } = { changedAt: Date.now(), ...conversation, ...kept(conversation.id) }
      write({ ...conversation, changedAt, cwd, turns })
    },
    remove: (id) => rmSync(fileOf(id), { force: true }),
  }
}

/** Only a UUID may become part of a path. */
const isId = (id: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(id)
