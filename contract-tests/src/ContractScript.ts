/**
 * The markers in prompts by which the suite steers an agent: `prompt` writes them, a fake agent reads them with `decide`.
 *
 * A marker is `⟦zain:verb#nonce text⟧`. It is found within any text that an agent wraps around a prompt. This module
 * imports nothing, so that any fake can use it.
 */

/** A call of one of the session's own tools. */
export interface ToolUse {
  /** The tool's name, as the session has defined it. */
  readonly tool: string
  /** The arguments, a JSON value, which need not fit the tool's schema. */
  readonly input: unknown
}

/** What a prompt makes the agent do. */
export type Directive =
  | {
      /** The agent answers with `text`. */
      readonly _tag: "Say"
      /** The whole answer, to the character. */
      readonly text: string
    }
  | {
      /** The agent answers with a JSON list of the keys of all prompts of this conversation, this one included. */
      readonly _tag: "Recall"
    }
  | {
      /** The agent reports that its turn failed. */
      readonly _tag: "Fail"
      /** The text by which the agent explains the failure; `McpResponse.content` must contain it. */
      readonly reason: string
    }
  | {
      /** The agent's turn ends by a limit of its account, as the agent reports one of its model's provider. */
      readonly _tag: "Limit"
      /** In how many seconds the limit is reset. */
      readonly seconds: number
    }
  | {
      /** The agent never answers. */
      readonly _tag: "Hang"
    }
  | {
      /** The agent's server exits in the middle of the turn. */
      readonly _tag: "Exit"
    }
  | {
      /** The agent emits pieces of its answer as events, then answers with the pieces joined. */
      readonly _tag: "Events"
      /** The number of pieces, at most 999,999. */
      readonly count: number
      /** What each piece holds before its number, counted from 1; a space precedes each piece but the first. */
      readonly text: string
    }
  | {
      /** The agent requests an approval to run a command, then answers with `decided` of the decision. */
      readonly _tag: "Approve"
    }
  | {
      /** The agent requests an approval to write the file `changed.txt`, then answers with `decided` of the decision. */
      readonly _tag: "Change"
      /** The new content of `changed.txt`, without the line break that the agent adds. */
      readonly text: string
    }
  | {
      /** The agent calls tools of the session's own, all at once, then answers with `used` of their results. */
      readonly _tag: "Use"
      /** The calls, in order. */
      readonly calls: ReadonlyArray<ToolUse>
    }
  | {
      /** The agent asks its user a question with the options `choices`, then answers with `decided` of what it receives. */
      readonly _tag: "Ask"
      /** The question. */
      readonly text: string
    }
  | {
      /**
       * The agent answers with `text` while a sub-agent of it works on: it requests the approval of `Approve`, and ends after
       * the decision. The agent may then answer again.
       */
      readonly _tag: "Background"
      /** The answer before the work has ended. */
      readonly text: string
    }
  | {
      /**
       * The agent answers with `text` as only a part of its answer, as one that was cut off does. No case of the suite
       * uses this directive.
       */
      readonly _tag: "Partial"
      /** The part that arrives. */
      readonly text: string
    }

/** What a fake agent does for the last prompt of a conversation: `decide` returns it. */
export type Action =
  | Exclude<
      Directive,
      {
        /** The directives that `decide` replaces: `Recall` by `Say`, `Events` by its pieces. */
        readonly _tag: "Recall" | "Events"
      }
    >
  | {
      /** Emit each of `pieces` as an event, then answer with `text`. */
      readonly _tag: "Events"
      /** The pieces, in order; each but the first begins with a space. */
      readonly pieces: ReadonlyArray<string>
      /** The pieces, joined: the whole answer. */
      readonly text: string
    }

interface Marker {
  readonly verb: string
  readonly nonce: string | undefined
  readonly text: string
}

const pattern = /⟦zain:([a-z]+)(?:#([A-Za-z0-9-]+))?(?: ([^⟧]*))?⟧/gu

/** Half a surrogate pair is written as `%uD83D`, so that the agent has it in its answer, however the prompt is sent. */
const protect = (text: string) =>
  text
    .replace(/[%⟦⟧]/gu, encodeURIComponent)
    .replace(/[\uD800-\uDFFF]/gu, (half) => `%u${half.charCodeAt(0).toString(16).toUpperCase()}`)
const restore = (text: string) =>
  text
    .replace(/%u(D[89A-F][0-9A-F]{2})/gu, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/%25|%E2%9F%A6|%E2%9F%A7/gu, decodeURIComponent)

const markersOf = (message: string): ReadonlyArray<Marker> =>
  [...message.matchAll(pattern)].map(([, verb, nonce, text]) => ({
    verb: verb ?? "",
    nonce,
    text: restore(text ?? ""),
  }))

const keyOfMarker = ({ nonce, text, verb }: Marker) => nonce ?? (text === "" ? verb : `${verb} ${text}`)

const textOf = (directive: Directive): string => {
  switch (directive._tag) {
    case "Fail":
      return directive.reason
    case "Limit":
      return String(directive.seconds)
    case "Events":
      return `${directive.count} ${directive.text}`
    case "Use":
      return JSON.stringify(directive.calls)
    default:
      return "text" in directive ? directive.text : ""
  }
}

/**
 * Returns a prompt with a marker that makes a fake agent follow a directive.
 *
 * @param directive what the agent does with the prompt, such as `{ _tag: "Say", text: "hello" }`
 * @param nonce a text of letters, digits and dashes that differs from every other prompt's; `keys` lists the prompt by
 *   it
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
 * Returns a prompt with all that reached the agent beside it, as a fake agent records it for `PeerObservation`: the
 * cases about `attachments`, `output` and `providerOptions` look for them there.
 *
 * @param prompt the prompt as it arrived
 * @param images the images of the turn, as data URLs or in base64
 * @param schema the schema of the answer; `undefined` if none arrived
 * @param model the name of the model that answers; `undefined` if it is not known
 */
export const received = (prompt: string, images: ReadonlyArray<unknown>, schema: unknown, model?: unknown): string =>
  [
    prompt,
    ...images,
    ...(schema === undefined ? [] : [JSON.stringify(schema)]),
    ...(model === undefined ? [] : [`model:${String(model)}`]),
  ].join(" ")

/** An option of a question. */
export interface Choice {
  /** The answer that selects it. */
  readonly label: string
  /** What it means. */
  readonly description: string
}

/** The options of the question that an agent asks by the action `Ask`; it takes own words, too. */
export const choices: ReadonlyArray<Choice> = [
  { label: "Red", description: "The warm one." },
  { label: "Blue", description: "The cold one." },
]

/**
 * Returns when the limit of the directive `Limit` is reset, in whole seconds since 1970, as agents report it.
 *
 * @param limit the directive, as `decide` returns it
 */
export const resetsAt = ({ seconds }: Directive & { readonly _tag: "Limit" }): number =>
  Math.ceil(Date.now() / 1000) + seconds

/**
 * Returns the text with which a fake agent answers after the actions `Approve`, `Change` and `Ask`, once the host's
 * decision has arrived.
 *
 * @param isApproved whether the host approved, or answered; `false` also if no valid decision arrived
 * @param detail what else the agent received, such as the reason of a decline or the answer; none by default
 * @returns a text that begins with `approved` or `declined`; cases read the decision from it
 */
export const decided = (isApproved: boolean, detail = ""): string => {
  const decision = isApproved ? "approved" : "declined"
  return detail === "" ? decision : `${decision}: ${detail}`
}

/**
 * Returns the text with which a fake agent answers after the action `Use`.
 *
 * @param results what the agent received for each call, in their order: the text that the tool gave, or why there is none
 */
export const used = (results: ReadonlyArray<string>): string => `used: ${results.join(" | ")}`

/**
 * Lists the keys of the prompts of a conversation, oldest first, each once. The key of a prompt is its nonce, or without
 * one its verb and text.
 *
 * @param userMessages all messages of the user in this conversation, oldest first
 */
export const keys = (userMessages: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    userMessages
      .filter((message) => typeof message === "string")
      .flatMap(markersOf)
      .map(keyOfMarker),
  ),
]

/**
 * Returns what a fake agent must do for the last message of a conversation. A prompt of the suite holds the action as a
 * marker, `⟦zain:verb#nonce text⟧`; see `prompt`.
 *
 * @param userMessages all messages of the user in this conversation, oldest first, with any text that the agent wraps
 *   around them; the last marker of the last message decides
 * @returns the action; `Say` with `ok` if the last message has no marker, `Fail` for an unknown verb, and for a message
 *   that is no string because the call named the prompt differently
 *
 * @example
 * ```ts
 * import { ContractScript } from "@zain/contract-tests"
 *
 * ContractScript.decide(["⟦zain:say#a1 hello⟧", "Go on: ⟦zain:recall#a2⟧"]) // { _tag: "Say", text: '["a1","a2"]' }
 * ```
 */
export const decide = (userMessages: ReadonlyArray<string>): Action => {
  const last: unknown = userMessages.length === 0 ? "" : userMessages.at(-1)
  if (typeof last !== "string") return { _tag: "Fail", reason: noPrompt }
  const marker = markersOf(last).at(-1)
  if (marker === undefined) return { _tag: "Say", text: "ok" }
  const { text, verb } = marker
  if (Object.hasOwn(spoken, verb)) return { _tag: spoken[verb as keyof typeof spoken], text }
  if (Object.hasOwn(bare, verb)) return { _tag: bare[verb as keyof typeof bare] }
  switch (verb) {
    case "recall":
      return { _tag: "Say", text: JSON.stringify(keys(userMessages)) }
    case "fail":
      return { _tag: "Fail", reason: text }
    case "limit":
      return /^\d{1,9}$/.test(text)
        ? { _tag: "Limit", seconds: Number(text) }
        : { _tag: "Fail", reason: `no seconds: ${text}` }
    case "events":
      return events(text)
    case "use":
      return uses(text)
    default:
      return { _tag: "Fail", reason: `no such directive: ${verb}` }
  }
}

/** The directives with a text alone, and those without one, by their verbs. */
const spoken = { say: "Say", ask: "Ask", background: "Background", change: "Change", partial: "Partial" } as const
const bare = { hang: "Hang", exit: "Exit", approve: "Approve" } as const

const noPrompt = "the call has no prompt where the fake agent reads it: compare the names of the tool's arguments"

const uses = (calls: string): Action => {
  try {
    return { _tag: "Use", calls: JSON.parse(calls) }
  } catch {
    return { _tag: "Fail", reason: `no list of calls: ${calls}` }
  }
}

const events = (argument: string): Action => {
  const [, digits, text] = /^(\d{1,6}) ?(.*)$/su.exec(argument) ?? []
  if (digits === undefined || text === undefined) return { _tag: "Fail", reason: `no count of events: ${argument}` }
  const pieces = Array.from({ length: Number(digits) }, (_, index) => `${index === 0 ? "" : " "}${text}${index + 1}`)
  return { _tag: "Events", pieces, text: pieces.join("") }
}
