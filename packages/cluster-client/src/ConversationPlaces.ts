/**
 * Where the conversations of a client are: its sessions in one conversation share an entity, so that one runner has them all,
 * and their turns run one after the other.
 */

/** The place of one session. */
export interface SessionPlace {
  /** The id of the entity, which is that of its first session. */
  readonly place: string
  /** The agent has named the session's conversation. */
  readonly named: (threadId: string) => void
  /** The session has closed. */
  readonly leave: () => void
}

/** The places of the open sessions. */
export interface ConversationPlaces {
  /**
   * Returns the place of a new session.
   *
   * @param id the id of the session
   * @param threadId the conversation that it continues, if any
   */
  readonly of: (id: string, threadId: unknown) => SessionPlace
}

/** Makes an empty table. */
export const make = (): ConversationPlaces => {
  const sessions = new Map<string, { readonly place: string; readonly threads: Set<unknown> }>()
  return {
    of: (id, threadId) => {
      const beside =
        threadId === undefined ? undefined : [...sessions.values()].find(({ threads }) => threads.has(threadId))
      const place = beside?.place ?? id
      const threads = new Set(threadId === undefined ? [] : [threadId])
      sessions.set(id, { place, threads })
      return { place, named: (name) => void threads.add(name), leave: () => void sessions.delete(id) }
    },
  }
}
