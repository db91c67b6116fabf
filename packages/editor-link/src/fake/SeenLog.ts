/**
 * What a fake editor has seen, in order.
 */

/** Something that happened on a connection; connections are counted from 0. */
export type Seen =
  | { readonly _tag: "Opened"; readonly connection: number }
  | { readonly _tag: "Closed"; readonly connection: number }
  | SeenFrame

/** A frame that arrived. */
export interface SeenFrame {
  readonly _tag: "Frame"
  readonly connection: number
  /** What stood in it, as it arrived; the first 1 MiB of it. */
  readonly text: string
  /** The JSON that this is; `undefined` where it is none. */
  readonly value: unknown
}

/** How many entries are kept, how long the text of one is, and how long all are together, in characters. */
const [maxEntries, maxTextLength, maxAllTextLength] = [20_000, 2 ** 20, 2 ** 26]

/** The newest entries. */
export class SeenLog {
  readonly entries: Array<Seen> = []
  private characters = 0

  add(entry: Seen) {
    const kept = entry._tag === "Frame" ? { ...entry, text: entry.text.slice(0, maxTextLength) } : entry
    this.entries.push(kept)
    this.characters += lengthOf(kept)
    while (this.entries.length > maxEntries || this.characters > maxAllTextLength) {
      const oldest = this.entries.shift()
      if (oldest === undefined) return
      this.characters -= lengthOf(oldest)
    }
  }
}

const lengthOf = (entry: Seen) => (entry._tag === "Frame" ? entry.text.length : 0)
