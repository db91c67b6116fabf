/**
 * Reads the attachments of a request, before anything is sent.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ImageData from "./ImageData.ts"
import type { McpAttachment } from "./McpAttachment.ts"
import { type InvalidRequest, invalidConfig } from "./McpError.ts"

/** What the agent receives. */
export interface Attached {
  /** The prompt, after the text files. */
  readonly content: string
  /** The images as data URLs, in their order; absent if there are none. */
  readonly images?: ReadonlyArray<string>
}

/** The problem of a value that is no list of attachments; `undefined` for one that is. */
export const problem = (given: unknown): string | undefined => {
  if (!Array.isArray(given)) return "`attachments` of a request must be a list of images and text files."
  const wrong = given.findIndex((one) => !isAttachment(one))
  if (wrong < 0) return undefined
  return `\`attachments.${wrong}\` must be { _tag: "Image" } with \`path\`, \`url\`, or \`bytes\` and \`mediaType\`, or { _tag: "TextFile" } with \`path\`, or \`name\` and \`text\`.`
}

const isAttachment = (given: unknown): boolean => {
  const one = Object(given) as { readonly [name: string]: unknown }
  const isText = (name: string) => typeof one[name] === "string"
  if (one["_tag"] === "Image")
    return isText("path") || isText("url") || (one["bytes"] instanceof Uint8Array && isText("mediaType"))
  if (one["_tag"] !== "TextFile" || (one["name"] !== undefined && !isText("name"))) return false
  return isText("path") || (isText("name") && isText("text"))
}

/**
 * Reads them.
 *
 * @param limit the most bytes of all of them together
 */
export const read = Effect.fnUntraced(function* (
  content: string,
  attachments: ReadonlyArray<McpAttachment>,
  limit: number,
): Effect.fn.Return<Attached, InvalidRequest> {
  const images: Array<string> = []
  let files = ""
  let left = limit
  for (const [at, attachment] of attachments.entries()) {
    const refused = (why: string) => Effect.fail(invalidConfig(`\`attachments.${at}\`${named(attachment)} ${why}.`))
    if (attachment._tag === "Image") {
      const image = yield* Effect.catch(imageOf(attachment, left), refused)
      left -= ImageData.sizeOf(image)
      images.push(ImageData.url(image))
    } else {
      const bytes = yield* Effect.catch(bytesOf(attachment, left), refused)
      left -= bytes.length
      const text = textOf(bytes)
      if (text === undefined) return yield* refused("is not text in UTF-8")
      files += inFence(nameOf(attachment), text)
      if (files.length > maxTextBytes) {
        return yield* refused(
          "makes the text files longer than 512 KiB. Name the file in the prompt, for the agent to read",
        )
      }
    }
  }
  return { content: `${files}${content}`, ...(images.length === 0 ? {} : { images }) }
})

type Image = McpAttachment & { readonly _tag: "Image" }
type TextFile = McpAttachment & { readonly _tag: "TextFile" }

const pathOf = (attachment: McpAttachment): string | undefined =>
  "path" in attachment && typeof attachment.path === "string" ? attachment.path : undefined

const named = (attachment: McpAttachment): string => {
  const path = pathOf(attachment)
  return path === undefined ? "" : ` (${path})`
}

const nameOf = (file: TextFile): string => file.name ?? pathOf(file) ?? ""

const imageOf = Effect.fnUntraced(function* (
  image: Image,
  limit: number,
): Effect.fn.Return<ImageData.ImageData, string> {
  if ("url" in image && pathOf(image) === undefined) {
    const read = image.url.length > 2 * limit ? Result.fail(tooLarge) : ImageData.ofUrl(image.url)
    if (Result.isSuccess(read) && ImageData.sizeOf(read.success) > limit) return yield* Effect.fail(tooLarge)
    return yield* Effect.fromResult(read)
  }
  const read = yield* Effect.fromResult(ImageData.ofBytes(yield* bytesOf(image, limit)))
  if (!("mediaType" in image) || image.mediaType === read.mediaType) return read
  return yield* Effect.fail(ImageData.mislabelled(image.mediaType, read))
})

const bytesOf = (attachment: McpAttachment, limit: number): Effect.Effect<Uint8Array, string> => {
  const path = pathOf(attachment)
  if (path !== undefined) {
    return Effect.flatMap(
      Effect.promise(() => import("./attachments/AttachedFile.ts")),
      ({ read }) => read(path, limit, tooLarge),
    )
  }
  const bytes = "bytes" in attachment ? attachment.bytes : Buffer.from("text" in attachment ? attachment.text : "")
  return bytes.length > limit ? Effect.fail(tooLarge) : Effect.succeed(bytes)
}

const tooLarge = "exceeds `maxAttachmentBytes` of the connection, with the attachments before it"

/** The most bytes of all text files together: agents refuse much longer prompts. */
const maxTextBytes = 512 * 1024

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

/** A file in the prompt, in a fence that its text does not close. */
const inFence = (name: string, text: string): string => {
  const max = (text.match(/`+/g) ?? []).reduce((max, one) => Math.max(max, one.length), 2)
  const fence = "`".repeat(max + 1)
  return `File ${JSON.stringify(name)}:\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n\n`
}
