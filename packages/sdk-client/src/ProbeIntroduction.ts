/**
 * Reads a server's answer to `initialize`, bounded and without secrets.
 */
import { isRecord, type JsonRpcMessage } from "@zain/process/JsonRpc"

/** Removes secrets from a text of the server and shortens it to `max` characters, 4,000 by default. */
export type Clean = (said: string, max?: number) => string

/** See `ServerReport`. */
export interface Introduction {
  readonly server?: { readonly name: string; readonly title?: string; readonly version: string }
  readonly protocolVersion?: string
  readonly capabilities?: Readonly<Record<string, unknown>>
  readonly instructions?: string
}

/** The readable members of the answer to `initialize`, even if the answer is malformed; empty for other messages. */
export const make = (message: JsonRpcMessage, text: Clean): Introduction => {
  const result = "result" in message ? message.result : undefined
  if (!isRecord(result) || typeof result["protocolVersion"] !== "string") return {}
  const { capabilities, instructions, protocolVersion, serverInfo } = result
  const { name, title, version } = isRecord(serverInfo) ? serverInfo : {}
  return {
    protocolVersion: text(protocolVersion, maxKeyLength),
    ...(isRecord(capabilities) ? { capabilities: declared(capabilities, text) } : {}),
    ...(typeof instructions === "string" ? { instructions: text(instructions, maxInstructionsLength) } : {}),
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

/** Bounds of the capabilities and instructions: no honest server exceeds them. */
const maxDepth = 32
const maxParts = 2_000
const maxEntries = 200
const maxKeyLength = 128
const maxInstructionsLength = 64 * 1024

/** MCP's own names in capabilities, which are not redacted even if a secret equals one of them. */
const words: ReadonlySet<string> = new Set(
  "tools resources prompts completions logging tasks experimental extensions listChanged subscribe list cancel requests call".split(
    " ",
  ),
)

const declared = (capabilities: Readonly<Record<string, unknown>>, text: Clean): Readonly<Record<string, unknown>> => {
  let parts = 0
  const key = (name: string) => (words.has(name) ? name : text(name, maxKeyLength))
  const clean = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value !== "object" || value === null) return value
    if (depth > maxDepth || ++parts > maxParts) return "…"
    if (Array.isArray(value)) return some(value).map((one) => clean(one, depth + 1))
    return Object.fromEntries(
      some(knownFirst(Object.entries(value))).map(([name, one]) => [key(name), clean(one, depth + 1)]),
    )
  }
  return clean(capabilities, 0) as Readonly<Record<string, unknown>>
}

/** MCP's own names come first, so that the bound never drops them. */
const knownFirst = (entries: ReadonlyArray<[string, unknown]>): ReadonlyArray<[string, unknown]> =>
  entries.length <= maxEntries
    ? entries
    : entries.toSorted(([one], [other]) => Number(words.has(other)) - Number(words.has(one)))

const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => all.slice(0, maxEntries)
