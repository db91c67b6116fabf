/**
 * A row of the table: a piece of work, and its contestants.
 */

/** A contestant. `start` runs in its own process. */
export interface Contestant {
  readonly name: string
  /** @param scale how much of a whole block a block is to be: 1, or less for a quick look */
  readonly start: (scale: number) => Promise<Run>
}

/** What a block did. */
export interface Work {
  readonly units: number
  /** Events that were sent and never received. */
  readonly lost?: number
  /** The total in µs or bytes of another process, if it does the work. */
  readonly apart?: Partial<Record<Row["metric"], number>>
}

/** `check` runs after every block, outside of what is measured, and throws if something is left over. */
export interface Run {
  readonly block: () => Promise<Work>
  readonly check?: () => Promise<void>
  readonly end: () => Promise<void>
}

/** `ratio`: ours over the floor, or over another contestant. `value`: ours as it is. */
export interface Aim {
  readonly of: "ratio" | "value"
  readonly max: number
  readonly over?: string
}

/** The contestants of the aim, and the floor. Others are shown for information. */
export const ours = "ours"
export const before = "before"
export const sdk = "bare SDK"
export const floor = "floor"

/** The variable of the environment with the root of the checkout that is `before`. */
export const beforeRoot = "ZAIN_BENCH_BEFORE"

export interface Row {
  /** For `--only`. */
  readonly name: string
  readonly title: string
  /** The unit of work of a figure. */
  readonly unit: string
  readonly metric: "cpu" | "wall" | "heap" | "resident"
  /** Whether another process does the work, so that only the metric is known, and no profile. */
  readonly isApart?: boolean
  readonly aim?: Aim
  /** The looser bound of the short form, which every change must keep. */
  readonly short?: number
  /** How often all contestants start afresh, and how many blocks each does then, after those that do not count. */
  readonly times: { readonly rounds: number; readonly blocks: number; readonly warmUp: number }
  /** Whether client and server may use every core. Else they share one, where the system can do that. */
  readonly allCores?: boolean
  /** Why the row cannot be measured on this machine. */
  readonly skipped?: () => string | undefined
  readonly contestants: ReadonlyArray<Contestant>
  readonly note?: string
  /** What keeps the aim from being reached, where that is known. Shown with the profile. */
  readonly limit?: string
}
