/** The laws of the events of every session. */
import type { McpEvent } from "@zain/core/McpEvents"
import type { Dated } from "./Ledger.ts"

/** The text of a piece that an agent emits in a turn. */
export const piece = (operation: number, index: number) => `${operation}.${index}`
const isPiece = /^ ?\d+\.\d+$/

/** How many pieces an agent emits in a turn. */
export const pieces = 3

interface Reading {
  sequence: number
  turn: number
  isUnderWay: boolean
  readonly texts: Array<string>
}

/** The broken laws of the events of a ledger, one line each. */
export const violations = (entries: ReadonlyArray<Dated>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const readings = new Map<number, Reading>()
  const emitted = new Map<number, ReadonlyArray<string>>()

  const read = (number: number, event: McpEvent) => {
    const reading = readings.get(number) ?? { sequence: 0, turn: 0, isUnderWay: false, texts: [] }
    readings.set(number, reading)
    const place = `session ${number}, event ${event.sequence}, ${event._tag}:`
    const demand = (holds: boolean, what: string) => {
      if (!holds) found.push(`${place} ${what}`)
    }
    demand(event.sequence === reading.sequence + 1, `comes after ${reading.sequence}`)
    reading.sequence = event.sequence
    if (event._tag === "TurnStarted") {
      demand(!reading.isUnderWay, "the turn before has no end")
      demand(event.turn === reading.turn + 1, `turn ${event.turn} comes after turn ${reading.turn}`)
      reading.turn = event.turn
      reading.isUnderWay = true
      reading.texts.length = 0
      return
    }
    if (event._tag === "SteersUnused") return demand(!reading.isUnderWay, "a turn is under way")
    demand(reading.isUnderWay, "no turn is under way")
    demand(event.turn === reading.turn, `is of turn ${event.turn}, in turn ${reading.turn}`)
    if (event._tag === "TextDelta" && isPiece.test(event.text)) reading.texts.push(event.text.trim())
    if (event._tag !== "TurnCompleted" && event._tag !== "TurnFailed") return
    reading.isUnderWay = false
    const [first] = reading.texts
    if (first === undefined) return
    const operation = Number.parseInt(first, 10)
    const expected = Array.from({ length: reading.texts.length }, (_, index) => piece(operation, index + 1))
    demand(reading.texts.join() === expected.join(), `the turn's pieces are ${reading.texts.join()}`)
    demand(!emitted.has(operation), `execute ${operation} has events in two turns`)
    emitted.set(operation, [...reading.texts])
  }

  for (const entry of entries) if (entry.what === "event") read(entry.session, entry.event)
  for (const [number, { isUnderWay, turn }] of readings) {
    if (isUnderWay) found.push(`session ${number}: turn ${turn} has no end`)
  }
  const isWhole = new Set(
    entries.flatMap((entry) => (entry.what === "ended" && entry.said.startsWith("ok") ? [entry.operation] : [])),
  )
  for (const entry of entries) {
    if (entry.what !== "asked" || entry.deed !== "tell" || !isWhole.has(entry.operation)) continue
    const count = emitted.get(entry.operation)?.length ?? 0
    if (count !== pieces) found.push(`execute ${entry.operation}: ${count} of its ${pieces} pieces were emitted`)
  }
  return found
}
