/**
 * Reads the items of one turn: events to the session runtime, questions to its policy, and the answer.
 */
import type { Answer, Turn } from "@zain/core/AgentConnection"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Item, Reply } from "./SessionEntity.ts"

/** What a reader reports, and how it replies. */
export interface Handler {
  /** The ledger has the turn's key; the runner of this address holds the session. */
  readonly begun: (runner: string) => void
  /** The agent has named its conversation. */
  readonly named: (threadId: string) => void
  /** The agent has answered. Work that goes on may have more events. */
  readonly answered: (answer: Answer) => void
  /** Sends a reply to the runner. */
  readonly reply: (id: string, reply: Reply) => Effect.Effect<unknown>
}

/** Handles the items until their stream ends. What the turn still asks ends with it. */
export const read = <E>(items: Stream.Stream<Item, E>, turn: Turn, handler: Handler): Effect.Effect<void, E> => {
  const asked = new Map<string, Fiber.Fiber<unknown>>()
  const reply = (id: string, replying: Effect.Effect<Reply>) =>
    replying.pipe(
      Effect.flatMap((given) => handler.reply(id, given)),
      Effect.ensuring(Effect.sync(() => asked.delete(id))),
      Effect.forkChild({ startImmediately: true }),
      Effect.flatMap((fiber) =>
        Effect.sync(() => {
          if (fiber.pollUnsafe() === undefined) asked.set(id, fiber)
        }),
      ),
    )
  const handle = (item: Item): Effect.Effect<void> | undefined => {
    switch (item._tag) {
      case "Event":
        if (item.event._tag === "ThreadStarted") handler.named(item.event.threadId)
        return void turn.emit(item.event)
      case "Begun":
        return void handler.begun(item.runner)
      case "Beat":
        return void turn.beat()
      case "Ask":
        return reply(item.id, turn.approve(item.request))
      case "Call":
        return reply(
          item.id,
          Effect.map(turn.callTool(item.name, item.args), (answer) => ({ _tag: "ToolAnswer", ...answer })),
        )
      case "Withdrawn":
        return void asked.get(item.id)?.interruptUnsafe()
      case "Keep":
        return void turn.keep()
      case "Over":
        return void turn.over()
      case "Called":
        return void turn.trace?.called(item.tool, item.requestId)
      case "Refused":
        return void turn.trace?.refused(item.code)
      case "Answer":
        if (item.answer.threadId !== undefined) handler.named(item.answer.threadId)
        return void handler.answered(item.answer)
    }
  }
  return Stream.runForEach(items, (item) => Effect.suspend(() => handle(item) ?? Effect.void))
}
