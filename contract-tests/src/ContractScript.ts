/**
 * How the suite steers an agent: by markers in its prompts. A fake agent calls `decide`.
 *
 * A marker is `⟦zain:verb#nonce text⟧`, and survives whatever an agent wraps around a prompt. This module depends on
 * nothing, so that any fake can use it.
 */

/**
 * What a prompt asks of the agent's side.
 *
 * - `Say`: answer with this text
 * - `Recall`: answer with the keys of all prompts of this conversation, as a JSON list, this prompt's own included
 * - `Fail`: the agent's turn fails, for this reason
 * - `Hang`: never answer
 * - `Exit`: the server dies in the middle of the turn
 * - `Events`: tell `count` pieces while at work, then answer
 * - `Approve`: ask for an approval to run a command, then answer with what `decided` makes of the decision
 * - `Change`: ask for an approval to write `text` and a line break into the file `changed.txt`, then answer the same
 * - `Partial`: answer with a part, as an agent does that was cut off (not used by the suite itself)
 */
export type Directive =
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "Recall" }
  | { readonly _tag: "Fail"; readonly reason: string }
  | { readonly _tag: "Hang" }
  | { readonly _tag: "Exit" }
  | { readonly _tag: "Events"; readonly count: number; readonly text: string }
  | { readonly _tag: "Approve" }
  | { readonly _tag: "Change"; readonly text: string }
  | { readonly _tag: "Partial"; readonly text: string }

/** What to do for the last prompt of a conversation. The answer of `Events` is its pieces, joined. */
export type Action =
  | Exclude<Directive, { readonly _tag: "Recall" | "Events" }>
  | { readonly _tag: "Events"; readonly pieces: ReadonlyArray<string>; readonly text: string }

interface Marker {
  readonly verb: string
  readonly nonce: string | undefined
  readonly text: string
}

const pattern = /⟦zain:([a-z]+)(?:#([A-Za-z0-9-]+))?(?: ([^⟧]*))?⟧/gu

const protect = (text: string) => text.replace(/[%⟦⟧]/gu, encodeURIComponent)
const restore = (text: string) => text.replace(/%25|%E2%9F%A6|%E2%9F%A7/gu, decodeURIComponent)

const markersOf = (message: string): ReadonlyArray<Marker> =>
  [...message.matchAll(pattern)].map(([, verb, nonce, text]) => ({
    verb: verb ?? "",
    nonce,
    text: restore(text ?? ""),
  }))

const keyOfMarker = ({ nonce, text, verb }: Marker) => nonce ?? (text === "" ? verb : `${verb} ${text}`)

const textOf = (directive: Directive): string => {
  switch (directive._tag) {
    case "Say":
    case "Change":
    case "Partial":
      return directive.text
    case "Fail":
      return directive.reason
    case "Events":
      return `${directive.count} ${directive.text}`
    default:
      return ""
  }
}

/**
 * A prompt that asks for something.
 *
 * @param directive what it asks for
 * @param nonce letters, digits and dashes that tell it from every other prompt; it becomes the prompt's key
 *
 * @example
 * ```ts
 * import { ContractScript } from "@zain/contract-tests"
 *
 * ContractScript.prompt({ _tag: "Say", text: "hello" }, "a1") // "⟦zain:say#a1 hello⟧"
 * ```
 */
export const prompt = (directive: Directive, nonce?: string): string => {
  const text = textOf(directive)
  const name = `${directive._tag.toLowerCase()}${nonce === undefined ? "" : `#${nonce}`}`
  return `⟦zain:${name}${text === "" ? "" : ` ${protect(text)}`}⟧`
}

/**
 * The answer to `Approve`, once the agent knows.
 *
 * @param isApproved whether it may go on
 * @param detail what else it was told, for people
 * @returns a text that begins with `approved` or `declined`, by which a case reads it
 */
export const decided = (isApproved: boolean, detail = ""): string => {
  const decision = isApproved ? "approved" : "declined"
  return detail === "" ? decision : `${decision}: ${detail}`
}

/** The keys of all prompts of a conversation, oldest first, each once: the nonce of a prompt, or its text. */
export const keys = (userMessages: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(userMessages.flatMap(markersOf).map(keyOfMarker)),
]

/**
 * What to do now.
 *
 * @param userMessages all messages of the user in this conversation, oldest first, in whatever the agent wrapped them;
 *   a message without a marker counts for nothing, and the last marker of the last message decides
 * @returns the action; to say `ok` when the last message has no marker
 *
 * @example
 * ```ts
 * import { ContractScript } from "@zain/contract-tests"
 *
 * ContractScript.decide(["⟦zain:say#a1 hello⟧", "Go on: ⟦zain:recall#a2⟧"]) // { _tag: "Say", text: '["a1","a2"]' }
 * ```
 */
export const decide = (userMessages: ReadonlyArray<string>): Action => {
  const marker = markersOf(userMessages.at(-1) ?? "").at(-1)
  if (marker === undefined) return { _tag: "Say", text: "ok" }
  const { text, verb } = marker
  switch (verb) {
    case "say":
      return { _tag: "Say", text }
    case "recall":
      return { _tag: "Say", text: JSON.stringify(keys(userMessages)) }
    case "fail":
      return { _tag: "Fail", reason: text }
    case "hang":
      return { _tag: "Hang" }
    case "exit":
      return { _tag: "Exit" }
    case "events":
      return events(text)
    case "approve":
      return { _tag: "Approve" }
    case "change":
      return { _tag: "Change", text }
    case "partial":
      return { _tag: "Partial", text }
    default:
      return { _tag: "Fail", reason: `no such directive: ${verb}` }
  }
}

const events = (argument: string): Action => {
  const [, digits, text] = /^(\d{1,6}) ?(.*)$/su.exec(argument) ?? []
  if (digits === undefined || text === undefined) return { _tag: "Fail", reason: `no count of events: ${argument}` }
  const pieces = Array.from({ length: Number(digits) }, (_, index) => `${index === 0 ? "" : " "}${text}${index + 1}`)
  return { _tag: "Events", pieces, text: pieces.join("") }
}
