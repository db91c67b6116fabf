/** The laws of every ledger, in any order of its entries. */
import * as EventLaws from "./EventLaws.ts"
import type { Dated, Deed } from "./Ledger.ts"

/**
 * - `expected`: the outcome of an execute whose agent has finished
 * - `losesBy`: what makes the agent lose its conversation
 */
export interface Traits {
  readonly maxWaiting: number
  readonly idleTimeout: number
  readonly expected: (operation: number, deed: Deed) => string
  readonly losesBy: ReadonlyArray<"cancel" | "failure">
}

interface Session {
  connected: number
  released: number
  opened: string | undefined
  /** From now on every call must fail with SessionClosed. */
  isClosedForAll: boolean
  isClosing: boolean
  isClosed: boolean
  hasDied: boolean
  hasAnswered: boolean
  isLost: boolean
  readonly line: Array<Execute>
}

interface Execute {
  readonly operation: number
  readonly session: number
  readonly deed: Deed
  readonly due: number
  readonly isPrompt: boolean
  readonly isTooLate: boolean
  began: number | undefined
  sign: number
  /** The maximal length of its session's queue since its call, itself included. */
  crowd: number
  isInterrupted: boolean
  hasFinished: boolean
  isTold: boolean
  said: string | undefined
}

/** An operation beside the turns. `done`: how often the agent has copied the conversation, or received the text. */
interface Beside {
  readonly session: number
  readonly how: "steer" | "fork"
  readonly at: number
  done: number
  unused: number
  isInterrupted: boolean
  said: string | undefined
}

/** The broken laws of a ledger, one line each. */
export const violations = (entries: ReadonlyArray<Dated>, traits: Traits): ReadonlyArray<string> => {
  const found: Array<string> = []
  const sessions = new Map<number, Session>()
  const executes = new Map<number, Execute>()
  const opens = new Map<number, { readonly session: number; said: string | undefined; isInterrupted: boolean }>()
  const closes = new Map<number, { readonly session: number; said: string | undefined; isInterrupted: boolean }>()
  const besides = new Map<number, Beside>()
  let isOver = false
  let at = 0

  const demand = (holds: boolean, what: string) => {
    if (!holds) found.push(what)
  }
  const sessionOf = (number: number): Session => {
    const known = sessions.get(number)
    if (known !== undefined) return known
    const flags = {
      isClosedForAll: false,
      isClosing: false,
      isClosed: false,
      hasDied: false,
      hasAnswered: false,
      isLost: false,
    }
    const session: Session = { connected: 0, released: 0, opened: undefined, ...flags, line: [] }
    sessions.set(number, session)
    return session
  }
  const isOpen = (session: Session) => !isOver && !session.isClosing
  const isUnderWay = (execute: Execute) =>
    execute.began !== undefined && !execute.hasFinished && !execute.isTold && !sessionOf(execute.session).hasDied
  const unsettled = ({ line }: Session) => line.filter(({ said }) => said === undefined)

  const began = (execute: Execute) => {
    const session = sessionOf(execute.session)
    const name = `execute ${execute.operation}`
    demand(execute.began === undefined, `the agent received ${name} twice`)
    demand(execute.said === undefined, `the agent received ${name} after its end`)
    demand(!session.isClosed, `the agent of a closed session received ${name}`)
    demand(!session.isLost, `an agent without its conversation received ${name}`)
    for (const other of session.line) {
      if (other === execute) break
      const isAhead = other.isPrompt && !other.isInterrupted && other.due > at
      demand(
        !isAhead || other.began !== undefined || other.said !== undefined,
        `${name} overtook execute ${other.operation}`,
      )
    }
    demand(!session.line.some(isUnderWay), `${name} began beside another turn of its session`)
    execute.began = at
    execute.sign = at
  }

  /** Whether an outcome of an execute has a reason. */
  const explain = (execute: Execute, said: string): boolean => {
    const session = sessionOf(execute.session)
    // An execute that yields just before its prompt is sent may report `unknown`.
    const mayHaveBegun = execute.began !== undefined || !execute.isPrompt
    const silence = execute.isPrompt ? at - execute.sign : Number.POSITIVE_INFINITY
    if (said === traits.expected(execute.operation, execute.deed) && execute.hasFinished) return true
    switch (said) {
      case "interrupted":
        return execute.isInterrupted
      case "ConnectionUnavailable deadline-exceeded not-sent":
        return execute.due <= at
      case "ConnectionUnavailable deadline-exceeded unknown":
        return execute.due <= at && (mayHaveBegun || session.hasDied)
      case "ConnectionUnavailable stalled unknown":
        return mayHaveBegun && silence >= traits.idleTimeout
      case "ConnectionUnavailable stalled not-sent":
        return !execute.isPrompt
      case "ConnectionUnavailable rate-limited not-sent":
        return execute.crowd > traits.maxWaiting + 1
      case "ConnectionUnavailable server-exited unknown":
        return mayHaveBegun && session.hasDied
      case "ConnectionUnavailable server-exited not-sent":
        return session.hasDied
      case "SessionClosed conversation-lost not-sent":
        return session.isLost
      case "SessionClosed closed not-sent":
        return !isOpen(session)
      case "SessionClosed closed unknown":
        return !isOpen(session) && mayHaveBegun
      default:
        return false
    }
  }

  const ended = (execute: Execute, said: string) => {
    const name = `execute ${execute.operation}`
    const session = sessionOf(execute.session)
    demand(execute.said === undefined, `${name} has two outcomes`)
    demand(explain(execute, said), `${name} ended with ${said} without a reason`)
    demand(!said.endsWith("not-sent") || execute.began === undefined, `${name} ended with not-sent after it was sent`)
    if (execute.isTooLate) {
      const isRefused = said === "SessionClosed closed not-sent" || said === "interrupted"
      demand(isRefused, `${name} was called after the end of its session, and ended with ${said}`)
    }
    execute.said = said
    if (said.startsWith("SessionClosed closed")) session.isClosedForAll = true
  }

  const settled = () => {
    for (const [number, session] of sessions) {
      const line = unsettled(session)
      const [first, ...waiting] = line
      const place = `session ${number}, at rest:`
      for (const { due, isInterrupted, isPrompt, operation } of line) {
        demand(due > at || !isPrompt, `${place} execute ${operation} outlived its deadline`)
        demand(!isInterrupted, `${place} execute ${operation} outlived its interruption`)
      }
      demand(waiting.length <= traits.maxWaiting, `${place} ${waiting.length} executes wait, more than maxWaiting`)
      if (first !== undefined) {
        demand(
          !session.isClosedForAll && !isOver,
          `${place} it is closed, and execute ${first.operation} has not ended`,
        )
        const head = line.find(isUnderWay)
        demand(head !== undefined, `${place} executes wait, and no turn is under way`)
        // The fiber of the idle limit yields as often as the first execute.
        const isWatched = head !== undefined && session.line[0]?.isPrompt === true
        demand(!isWatched || at - head.sign < traits.idleTimeout, `${place} its turn has exceeded the idle limit`)
      }
      for (const execute of session.line) {
        const isOwed = execute.began !== undefined && execute.said !== undefined && isUnderWay(execute)
        demand(!isOwed, `${place} the agent was not notified that execute ${execute.operation} has ended`)
      }
      const isHeld = session.opened === "ok" && !session.isClosed && !isOver
      const isGone =
        (session.opened !== undefined && session.opened !== "ok" && session.opened !== "interrupted") || isOver
      if (isHeld && !session.isClosing) demand(session.released === 0, `${place} it is open, and was released`)
      if (isGone || session.isClosed) {
        demand(session.connected === session.released, `${place} it has ended, and is not released`)
      }
    }
    for (const [operation, { isInterrupted, said }] of closes) {
      demand(said !== undefined, `at rest: close ${operation} has no end${isInterrupted ? ", interrupted" : ""}`)
    }
    for (const [operation, { isInterrupted, said }] of opens) {
      demand(said !== undefined || !(isInterrupted || isOver), `at rest: open ${operation} has no end`)
    }
  }

  const endedBeside = (operation: number, beside: Beside, said: string) => {
    const session = sessionOf(beside.session)
    const name = `${beside.how} ${operation}`
    beside.said = said
    if (beside.how === "fork" && said === "ok") return demand(beside.done === 1, `${name} ended without a copy`)
    if (beside.how === "steer" && said === "applied") return demand(beside.done === 1, `${name} was not taken`)
    if (beside.how === "steer" && said === "queued") return
    if (said === "interrupted") return demand(beside.isInterrupted, `${name} was not interrupted`)
    if (said.startsWith("SessionClosed closed")) return demand(!isOpen(session), `${name}: its session is open`)
    if (beside.how === "fork" && said === "ConnectionUnavailable stalled unknown")
      return demand(at - beside.at >= traits.idleTimeout, `${name} ended as stalled too early`)
    const refusals = ["InvalidRequest no-turn not-sent", "ConnectionUnavailable rate-limited not-sent"]
    return demand(beside.how === "steer" && refusals.includes(said), `${name} ended with ${said}`)
  }

  /** Every text reaches the agent once, or is reported as unused, unless its caller or the prompt that has it was cut off. */
  const steersEnded = () => {
    for (const [operation, { done, how, said, session, unused }] of besides) {
      demand(said !== undefined, `${how} ${operation} has no outcome`)
      demand(done + unused <= 1, `${how} ${operation} arrived ${done} times, and was reported ${unused} times`)
      const isCut = sessionOf(session).line.some(
        (one) => one.began === undefined && (one.isInterrupted || one.said?.endsWith("unknown")),
      )
      demand(said !== "queued" || isCut || done + unused === 1, `steer ${operation} was queued, and is lost`)
    }
  }

  const endedOther = (operation: number, said: string) => {
    const beside = besides.get(operation)
    if (beside !== undefined) return endedBeside(operation, beside, said)
    const close = closes.get(operation)
    const open = opens.get(operation)
    if (close !== undefined) {
      const session = sessionOf(close.session)
      close.said = said
      if (said === "interrupted")
        return demand(close.isInterrupted, `close ${operation} ended as interrupted without an interruption`)
      if (said === "ok") {
        demand(!session.isClosed, `session ${close.session} closed twice`)
        demand(session.connected === session.released, `close ${operation} ended before the release`)
        session.isClosed = true
      } else demand(said === "SessionClosed closed not-sent", `close ${operation} ended with ${said}`)
      session.isClosedForAll = true
    }
    if (open !== undefined) {
      open.said = said
      sessionOf(open.session).opened = said
    }
  }

  for (const entry of entries) {
    at = entry.at
    switch (entry.what) {
      case "opening":
        opens.set(entry.operation, { session: entry.session, said: undefined, isInterrupted: false })
        sessionOf(entry.session)
        break
      case "asked": {
        const session = sessionOf(entry.session)
        const isTooLate = session.isClosedForAll || isOver
        const begin = { began: undefined, sign: at, crowd: 0, isInterrupted: false, hasFinished: false, isTold: false }
        const { deed, due, isPrompt, operation } = entry
        const execute = { operation, session: entry.session, deed, due, isPrompt, isTooLate, ...begin, said: undefined }
        executes.set(operation, execute)
        session.line.push(execute)
        const line = unsettled(session)
        for (const waiting of line) waiting.crowd = Math.max(waiting.crowd, line.length)
        break
      }
      case "closing": {
        const session = sessionOf(entry.session)
        closes.set(entry.operation, { session: entry.session, said: undefined, isInterrupted: false })
        session.isClosing = true
        if (entry.isPrompt) session.isClosedForAll = true
        break
      }
      case "interrupting": {
        const operation = [executes, opens, closes, besides].map((all) => all.get(entry.operation)).find(Boolean)
        if (operation !== undefined) operation.isInterrupted = true
        break
      }
      case "ended": {
        const execute = executes.get(entry.operation)
        if (execute === undefined) endedOther(entry.operation, entry.said)
        else ended(execute, entry.said)
        break
      }
      case "beside":
        besides.set(entry.operation, { ...entry, done: 0, unused: 0, isInterrupted: false, said: undefined })
        break
      case "forked":
      case "took": {
        const beside = besides.get(entry.operation)
        if (beside !== undefined) beside.done++
        break
      }
      case "ran": {
        const execute = executes.get(entry.operation)
        const isAllowed = execute !== undefined && isUnderWay(execute) && !sessionOf(execute.session).isClosed
        demand(isAllowed, `the tool ran for execute ${entry.operation}, which is over`)
        break
      }
      case "event":
        if (entry.event._tag !== "SteersUnused") break
        for (const text of entry.event.texts) {
          const steer = besides.get(Number(text))
          if (steer !== undefined) steer.unused++
        }
        break
      case "connected":
        sessionOf(entry.session).connected++
        break
      case "released":
        sessionOf(entry.session).released++
        break
      case "died":
        sessionOf(entry.session).hasDied = true
        break
      case "began":
      case "sign":
      case "finished":
      case "notified": {
        const execute = executes.get(entry.operation)
        if (execute === undefined) {
          found.push(`the agent received a prompt that was not sent: ${entry.operation}`)
          break
        }
        if (entry.what === "began") began(execute)
        else demand(execute.began !== undefined, `execute ${entry.operation} was ${entry.what} before it began`)
        // A cancelled execute settles when its readers have caught up: signs after its cancellation do not count.
        if (entry.what === "sign" && !execute.isTold) execute.sign = at
        if (entry.what === "finished") execute.hasFinished = true
        if (entry.what === "notified") {
          demand(!execute.hasFinished, `the agent was notified of execute ${entry.operation} after its answer`)
          demand(!execute.isTold, `the agent was notified twice of execute ${entry.operation}`)
          execute.isTold = true
        }
        const session = sessionOf(execute.session)
        const isAnswer = entry.what === "finished" && !execute.isTold
        const isCut = entry.what === "notified" && traits.losesBy.includes("cancel")
        // Before its first answer an agent has no conversation to lose.
        const hasFailed =
          isAnswer && execute.deed === "fail" && traits.losesBy.includes("failure") && session.hasAnswered
        if (isAnswer && execute.deed !== "fail") session.hasAnswered = true
        if (isCut || hasFailed) session.isLost = true
        break
      }
      case "disposing":
        isOver = true
        break
      case "settled":
        settled()
        break
    }
  }
  for (const { operation, said } of executes.values()) demand(said !== undefined, `execute ${operation} has no outcome`)
  steersEnded()
  return [...found, ...EventLaws.violations(entries)]
}
