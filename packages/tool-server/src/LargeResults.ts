/**
 * Results within a client's limit: what is too long is cut, and the whole is kept as a resource that is read in parts.
 *
 * @see the SDK's `ReadBuffer`, which ends a connection over stdio at a message of more than 10 MiB
 */
import type {
  CallToolResult,
  ClientCapabilities,
  ReadResourceResult,
  ServerResult,
} from "@modelcontextprotocol/sdk/types.js"
import { boundary } from "@zain/command/Clip"
import { isRecord } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import type { Resources } from "./Features.ts"
import * as JsonSize from "./JsonSize.ts"
import { invalidParams } from "./ProtocolError.ts"

/** What is kept for a session, in characters, and the number of texts. */
const [maxKeptBytes, maxTexts] = [64 * 2 ** 20, 100]

/** Texts that are shorter are not cut, in characters. */
const minCutLength = 4_096

/** No limit is smaller, in bytes. */
const minBytes = 64 * 1_024

/** JSON escapes a character with six bytes at most. */
const maxEscapeBytes = 6

const scheme = "zain://result/"

/** The large results of one session. */
export interface LargeResults {
  /** Returns a result as it is, or one within the limit that names where the rest is. */
  readonly fit: <A extends ServerResult>(result: A) => A
  /** Returns a part of a kept text; `undefined` for any other URI. */
  readonly read: (uri: string) => ReadResourceResult["contents"] | undefined
}

interface Kept {
  readonly text: string
  /** Of a part, in characters. */
  readonly size: number
  /** Of a picture and the like: its text is base64. */
  readonly mimeType?: string
}

/** What JSON-RPC adds to a result, in bytes: with the longest id of a request. */
const envelope = 2_048

/**
 * The largest result for a client, in bytes.
 *
 * @param client its capabilities; Zain's clients declare their `maxMessageBytes`
 * @param otherwise the limit for other clients
 */
export const limit = (client: ClientCapabilities | undefined, otherwise: number): number => {
  const { maxBytes } = (client?.experimental?.["zain/results"] ?? {}) as { readonly maxBytes?: unknown }
  return Math.max(minBytes, typeof maxBytes === "number" ? maxBytes : otherwise) - envelope
}

const template = {
  uriTemplate: `${scheme}{number}{?part}`,
  name: "A part of a large result",
  description: "A result that is too large for one message names its parts.",
}

/** The resources of a client, with the parts of its large results, which no list has. */
export const beside = ({ read }: LargeResults, own: Resources | undefined): Resources => ({
  list: Effect.succeed([]),
  templates: Effect.succeed([template]),
  ...own,
  read: (uri) => {
    const part = read(uri)
    if (part !== undefined) return Effect.succeed(part)
    if (own !== undefined && !uri.startsWith(scheme)) return own.read(uri)
    return Effect.fail(invalidParams("The resource does not exist, or is no longer kept. Call the tool again."))
  },
})

/** @param limit the largest result at this time, in bytes */
export const make = (limit: () => number): LargeResults => {
  const kept = new Map<string, Kept>()
  let [held, last] = [0, 0]

  const keep = (one: Kept) => {
    const uri = `${scheme}${++last}`
    kept.set(uri, one)
    held += one.text.length
    for (const [oldest, { text }] of kept) {
      if ((held <= maxKeptBytes && kept.size <= maxTexts) || oldest === uri) break
      kept.delete(oldest)
      held -= text.length
    }
    return uri
  }
  const where = (text: string, mimeType?: string) => {
    // Base64 has four characters for three bytes, so that each part of it is whole.
    const size = Math.floor(limit() / 2 / maxEscapeBytes / 4) * 4
    const uri = keep({ text, size, ...(mimeType === undefined ? {} : { mimeType }) })
    return `Read ${uri}?part=1 to ?part=${Math.ceil(text.length / size)} with resources/read.`
  }

  /** Cuts texts to so many characters. Equal texts are kept once: `marks` names the parts of each. */
  const cutting = (max: number, marks: Map<string, string>) => {
    const markOf = (text: string, mimeType?: string) => {
      const mark = marks.get(text) ?? where(text, mimeType)
      marks.set(text, mark)
      return mark
    }
    const cut = (value: unknown): unknown => {
      if (typeof value === "string") {
        if (value.length <= max) return value
        const left = value.length - max
        return `${value.slice(0, boundary(value, max))}\n[${left} of ${value.length} characters are left out. ${markOf(value)}]`
      }
      if (Array.isArray(value)) return value.map(cut)
      if (!isRecord(value)) return value
      const { blob, data, mimeType = "application/octet-stream", type, ...rest } = value
      const bytes = type === "image" || type === "audio" ? data : blob
      if (typeof bytes !== "string" || bytes.length <= max)
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one)]))
      const mark = markOf(bytes, String(mimeType))
      const text = `[${String(mimeType)} of ${Math.floor((bytes.length * 3) / 4)} bytes is left out. ${mark}]`
      return type === undefined ? { ...rest, mimeType: "text/plain", text } : { type: "text", text }
    }
    return cut
  }

  return {
    fit: <A extends ServerResult>(result: A): A => {
      const bytes = limit()
      if (JsonSize.of(result) * maxEscapeBytes <= bytes || bytesOf(result) <= bytes) return result
      const long = lengths(result)
      const marks = new Map<string, string>()
      for (let width = 1; width <= 2 * maxEscapeBytes && long > 0; width *= 2) {
        const shorter = cutting(Math.max(minCutLength, Math.floor(bytes / 2 / width / long)), marks)(result)
        if (bytesOf(shorter) <= bytes) return shorter as A
      }
      if (!("content" in result)) return result
      const text = `The result is larger than ${bytes} bytes. ${where(JsonText.write(result))}`
      return { content: [{ type: "text", text }], isError: true } satisfies CallToolResult as unknown as A
    },
    read: (uri) => {
      const [, name = "", number = "1"] = /^(zain:\/\/result\/\d{1,9})(?:\?part=(\d{1,9}))?$/.exec(uri) ?? []
      const one = kept.get(name)
      if (one === undefined) return undefined
      const { mimeType, size, text } = one
      const from = (Number(number) - 1) * size
      const part = text.slice(boundary(text, from), boundary(text, from + size))
      return mimeType === undefined ? [{ uri, mimeType: "text/plain", text: part }] : [{ uri, mimeType, blob: part }]
    },
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JsonText.write(value))

/** How many texts of a result are long enough to be cut. */
const lengths = (whole: unknown): number => {
  const left = [whole]
  let count = 0
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === "string") count += value.length > minCutLength ? 1 : 0
    else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) left.push(one)
  }
  return count
}
