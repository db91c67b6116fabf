/**
 * How a server introduces itself: its answer to `initialize`, bounded and cleaned.
 */
import { isRecord, type JsonRpcMessage } from "@zain/process/JsonRpc"

/** Removes secrets from a text of the server, and what is longer than this or than the usual limit. */
export type Clean = (said: string, longest?: number) => string

/** See `ServerReport`. */
export interface Introduction {
  readonly server?: { readonly name: string; readonly title?: string; readonly version: string }
  readonly protocolVersion?: string
  readonly capabilities?: Readonly<Record<string, unknown>>
  readonly instructions?: string
}

/** What the answer to `initialize` says, well formed or not. */
export const make = (message: JsonRpcMessage, text: Clean): Introduction => {
  const result = "result" in message ? message.result : undefined
  if (!isRecord(result) || typeof result["protocolVersion"] !== "string") return {}
  const { capabilities, instructions, protocolVersion, serverInfo } = result
  const { name, title, version } = isRecord(serverInfo) ? serverInfo : {}
  return {
    protocolVersion: text(protocolVersion, longestKey),
    ...(isRecord(capabilities) ? { capabilities: declared(capabilities, text) } : {}),
    ...(typeof instructions === "string" ? { instructions: text(instructions, longestInstructions) } : {}),
    ...(typeof name === "string" && typeof version === "string"
      ? {
          server: {
            name: text(name),
            version: text(version),
            ...(typeof title === "string" ? { title: text(title) } : {}),
          },
        }
      : {}),
  }
}

/** What goes deeper, is longer or is more than that is meant to do harm. */
const deepest = 32
const mostParts = 2_000
const mostEntries = 200
const longestKey = 128
const longestInstructions = 64 * 1024

/** The words of MCP in capabilities: a secret that is one of them is no secret there. */
const words: ReadonlySet<string> = new Set(
  "tools resources prompts completions logging tasks experimental extensions listChanged subscribe list cancel requests call".split(
    " ",
  ),
)

const declared = (capabilities: Readonly<Record<string, unknown>>, text: Clean): Readonly<Record<string, unknown>> => {
  let parts = 0
  const key = (name: string) => (words.has(name) ? name : text(name, longestKey))
  const clean = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value !== "object" || value === null) return value
    if (depth > deepest || ++parts > mostParts) return "…"
    if (Array.isArray(value)) return some(value).map((one) => clean(one, depth + 1))
    return Object.fromEntries(
      some(knownFirst(Object.entries(value))).map(([name, one]) => [key(name), clean(one, depth + 1)]),
    )
  }
  return clean(capabilities, 0) as Readonly<Record<string, unknown>>
}

/** What MCP knows is never among what is left out. */
const knownFirst = (entries: ReadonlyArray<[string, unknown]>): ReadonlyArray<[string, unknown]> =>
  entries.length <= mostEntries
    ? entries
    : entries.toSorted(([one], [other]) => Number(words.has(other)) - Number(words.has(one)))

const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => all.slice(0, mostEntries)
