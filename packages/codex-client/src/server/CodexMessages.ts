/**
 * Emits each message of a turn once. When the model's stream breaks, or restarts for a steer, Codex repeats the messages that
 * the model repeats.
 *
 * @see Codex 0.169 app-server: measured. A message that never ends is void; one that has ended may be repeated under another
 *   id until the tokens of its response are counted
 */

/** The messages of one turn. */
export interface CodexMessages {
  /** Returns the new part of a piece of a message. */
  readonly delta: (id: string, piece: string) => string
  /** Whether a message that ended is new. */
  readonly completed: (id: string, text: string) => boolean
  /** A response of the model is complete. */
  readonly counted: () => void
  /** A response broke off, and is requested again. */
  readonly cut: () => void
}

interface Said {
  readonly id: string
  readonly text: string
  readonly isWhole: boolean
}

/** Limit of the text that is compared, in characters. Longer text is emitted again. */
const maxTextLength = 1024 * 1024

export const make = (): CodexMessages => {
  /** Messages of the current response. */
  let response: ReadonlyArray<Said> = []
  /** Emitted messages that may be repeated, in order. */
  let emitted: ReadonlyArray<Said> = []
  let open: Said | undefined

  const cut = () => {
    // While messages are repeated, the open one is the beginning of one of them.
    emitted = bounded([...response, ...(emitted.length > 0 || open === undefined ? emitted : [open])])
    response = []
    open = undefined
  }
  return {
    cut,
    counted: () => {
      response = []
      emitted = []
    },
    delta: (id, piece) => {
      // The previous message never ends.
      if (open !== undefined && open.id !== id) cut()
      const before = open?.text ?? ""
      const text = before.length > maxTextLength ? before : before + piece
      open = { id, text, isWhole: false }
      const [again] = emitted
      if (again === undefined) return piece
      if (again.text.startsWith(text)) return ""
      emitted = []
      // The text that was suppressed so far is emitted, unless the repeated message continues.
      return text.startsWith(again.text) ? text.slice(again.text.length) : text
    },
    completed: (id, text) => {
      const [again, ...others] = emitted
      const isAgain = again?.isWhole === true && again.text === text
      emitted = isAgain ? others : []
      if (open?.id === id) open = undefined
      response = bounded([...response, { id, text, isWhole: true }])
      return !isAgain
    },
  }
}

const bounded = (all: ReadonlyArray<Said>): ReadonlyArray<Said> =>
  all.reduce((sum, { text }) => sum + text.length, 0) > maxTextLength ? [] : all
