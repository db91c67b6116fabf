/**
 * What a cluster remembers of its sessions: who owns each, which runner holds it, and which prompts have begun. It holds no
 * prompt and no configuration.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The ledger could not answer.
 *
 * - `unavailable`: the database cannot be reached, or did not answer in time
 * - `unauthorized`: the database rejected the credentials
 * - `invalid-url`: the URL of the database cannot be used
 * - `schema`: the tables belong to another version of this package
 */
export class LedgerError extends Schema.TaggedError<LedgerError>("@zain/cluster-client/LedgerError")("LedgerError", {
  /** Why, from a closed list. */
  reason: Schema.Literals(["unavailable", "unauthorized", "invalid-url", "schema"]),
  /** The cause and the remedy, without the address, the user and the password of the database. */
  message: Schema.String,
}) {}

/** A session as a runner claims it. */
export interface Claim {
  /** The id of the session. */
  readonly session: string
  /** The principal that opened the session. */
  readonly owner: string
  /** The name of the agent in the runner's table, such as `codex`. */
  readonly agent: string
  /** The address of the runner that claims the session. */
  readonly runner: string
}

/** What became of a claim. */
export type Claimed =
  | {
      readonly _tag: "Claimed"
      /** Counts the claims of the session from 1. A turn begins under the last one only. */
      readonly epoch: number
      /** The agent's id of the conversation, if `named` has stored one. */
      readonly threadId?: string
      /** Whether a turn of the session has ever begun, also under an earlier epoch. */
      readonly hasTurns: boolean
    }
  /** The session belongs to another owner, or is closed; nothing has changed. */
  | { readonly _tag: "Foreign" | "Closed" }

/** The key of a turn, and the claim under which it begins. */
export interface TurnKey {
  /** The id of the session. */
  readonly session: string
  /** The epoch of the claim. */
  readonly epoch: number
  /** The key of the turn, unique in the whole ledger. */
  readonly key: string
}

/** What the ledger has of a key that was there already. */
export type Known =
  | {
      readonly _tag: "Done"
      /** What `finish` has stored; absent if it stored none, and once it has expired. */
      readonly answer?: string
    }
  | {
      readonly _tag: "Begun"
      /** Whether the session is open and still under the epoch in which the turn began. */
      readonly isCurrent: boolean
    }
  | { readonly _tag: "Withdrawn" }

/** How old rows may become, and how many one call removes. */
export interface Expiry {
  /** The age of an answer since its turn ended, after which only the verdict stays. */
  readonly answers: Duration.Duration
  /** The age of a turn's row since its last change; its key may then begin again. */
  readonly turns: Duration.Duration
  /** The age of a session's row since its last claim or turn; its caller is gone then. */
  readonly sessions: Duration.Duration
  /** How many rows of each kind one call changes at most. */
  readonly maxRows: number
}

/** What one runner holds. */
export interface RunnerLoad {
  /** The address of the runner. */
  readonly runner: string
  /** Open sessions whose last claim is the runner's. */
  readonly sessions: number
  /** Turns of these sessions that have begun under their current epoch, and have not ended. */
  readonly turns: number
  /** When the oldest of these turns began, in milliseconds since 1970; absent if there is none. */
  readonly oldestTurnAt?: number
}

/**
 * The ledger of a cluster. Every operation is atomic, and safe while others call it for the same session or key. Each fails
 * with `LedgerError` in bounded time; then it may have had its effect, and a second call with the same arguments is safe, a
 * second `claim` excepted, which raises the epoch again.
 */
export interface Ledger {
  /**
   * Makes a runner the holder of a session: inserts it with epoch 1, or raises the epoch of an open session of the same owner.
   *
   * @param claim the session, its owner and its runner
   */
  readonly claim: (claim: Claim) => Effect.Effect<Claimed, LedgerError>
  /**
   * Inserts the key of a turn as begun: of all calls with one key, one receives `Mine`. `Stale`: the session is not open under
   * the epoch, and nothing has changed; a key that is there is judged first.
   *
   * @param turn the key and the epoch
   */
  readonly begin: (turn: TurnKey) => Effect.Effect<Known | { readonly _tag: "Mine" | "Stale" }, LedgerError>
  /**
   * Ends a turn that has begun under the epoch, and stores its outcome; for one that has ended already, an omitted `answer`
   * removes the stored one, and anything else does nothing. Retries for at most a minute while the database is unavailable.
   *
   * @param turn the key and the epoch, as for `begin`
   * @param answer the outcome as text; omitted if the caller has received it, so that only the verdict is stored
   */
  readonly finish: (turn: TurnKey, answer?: string) => Effect.Effect<void, LedgerError>
  /**
   * Inserts the key of a turn as withdrawn, so that it can never begin. `Withdrawn` proves that it has not begun.
   *
   * @param session the id of the session, which need not be there
   * @param key the key of the turn
   */
  readonly withdraw: (session: string, key: string) => Effect.Effect<Known, LedgerError>
  /**
   * Stores the agent's id of the conversation, if the epoch is the session's; else does nothing.
   *
   * @param session the id of the session
   * @param epoch the epoch of the claim
   * @param threadId the agent's id of the conversation
   */
  readonly named: (session: string, epoch: number, threadId: string) => Effect.Effect<void, LedgerError>
  /**
   * Closes a session of the owner; does nothing for a session that is closed, unknown or another owner's. Its turns stay until
   * they expire.
   *
   * @param session the id of the session
   * @param owner the principal that opened it
   */
  readonly close: (session: string, owner: string) => Effect.Effect<void, LedgerError>
  /**
   * Removes what is old, and returns how many rows changed.
   *
   * @param expiry the ages, and the most rows that one call changes
   */
  readonly expire: (expiry: Expiry) => Effect.Effect<number, LedgerError>
  /** What each runner holds, by the last claims. */
  readonly load: Effect.Effect<ReadonlyArray<RunnerLoad>, LedgerError>
}

/** The service of Effect for the ledger. */
export const Ledger = Context.Service<Ledger>("@zain/cluster-client/Ledger")
