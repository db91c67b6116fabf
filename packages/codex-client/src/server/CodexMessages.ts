/**
 * The messages of a turn, each told once: after its model's stream was cut, or was begun anew for a word of the user's, Codex
 * tells again what the model says again.
 *
 * @see Codex 0.169 app-server: measured. A message that never ends is void; one that has ended may come again under another
 *   id until the tokens of its response are counted
 */

/**
 * - `delta`: what of a piece of a message is new
 * - `completed`: whether a message that has ended is new
 * - `counted`: a response of the model is whole
 * - `cut`: a response is broken off, and asked for again
 */
export interface CodexMessages {
  readonly delta: (id: string, piece: string) => string
  readonly completed: (id: string, text: string) => boolean
  readonly counted: () => void
  readonly cut: () => void
}

interface Said {
  readonly id: string
  readonly text: string
  readonly isWhole: boolean
}

/** How much is compared, in characters. What is longer is told again. */
const most = 1024 * 1024

/** No message yet. */
export const make = (): CodexMessages => {
  /** Of the response under way. */
  let response: ReadonlyArray<Said> = []
  /** What was told and may come again, in order. */
  let told: ReadonlyArray<Said> = []
  let open: Said | undefined

  const cut = () => {
    // As long as something comes again, what is open is the beginning of it.
    told = bounded([...response, ...(told.length > 0 || open === undefined ? told : [open])])
    response = []
    open = undefined
  }
  return {
    cut,
    counted: () => {
      response = []
      told = []
    },
    delta: (id, piece) => {
      // The one before never ends.
      if (open !== undefined && open.id !== id) cut()
      const before = open?.text ?? ""
      const text = before.length > most ? before : before + piece
      open = { id, text, isWhole: false }
      const [again] = told
      if (again === undefined) return piece
      if (again.text.startsWith(text)) return ""
      told = []
      // What was held back is told, unless it is the beginning of more.
      return text.startsWith(again.text) ? text.slice(again.text.length) : text
    },
    completed: (id, text) => {
      const [again, ...others] = told
      const isAgain = again?.isWhole === true && again.text === text
      told = isAgain ? others : []
      if (open?.id === id) open = undefined
      response = bounded([...response, { id, text, isWhole: true }])
      return !isAgain
    },
  }
}

const bounded = (all: ReadonlyArray<Said>): ReadonlyArray<Said> =>
  all.reduce((sum, { text }) => sum + text.length, 0) > most ? [] : all
