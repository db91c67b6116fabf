/**
 * Images as data URLs, checked by their bytes: agents do not fail on an image that they cannot read, and answer without it.
 */
import * as Result from "effect/Result"
import type { ImageMediaType } from "./McpAttachment.ts"

/** An image in a message. */
export interface ImageData {
  /** What its bytes are. */
  readonly mediaType: ImageMediaType
  /** The bytes in base64. */
  readonly base64: string
}

/**
 * Reads bytes as an image; fails with what is wrong with them, as the predicate of a sentence.
 *
 * @param bytes the whole image
 */
export const ofBytes = (bytes: Uint8Array): Result.Result<ImageData, string> => {
  if (bytes.length === 0) return Result.fail("is empty")
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const form = forms.find(({ begins }) => begins(data))
  if (form === undefined) return Result.fail("is not a PNG, JPEG, WebP or GIF image")
  return form.isWhole(data)
    ? Result.succeed({ mediaType: form.mediaType, base64: data.toString("base64") })
    : Result.fail("is a damaged image: its end is missing")
}

/**
 * Reads a data URL with base64; fails with what is wrong with it, as the predicate of a sentence.
 *
 * @param url the data URL
 */
export const ofUrl = (url: string): Result.Result<ImageData, string> => {
  const comma = url.indexOf(",")
  const [, mediaType] = /^data:(image\/[a-z]{3,4});base64$/.exec(url.slice(0, Math.max(0, comma))) ?? []
  if (mediaType === undefined) return Result.fail("is not a data URL such as data:image/png;base64,…")
  const bytes = Buffer.from(url.slice(comma + 1), "base64")
  const image = ofBytes(bytes)
  if (Result.isFailure(image)) return image
  if (image.success.base64 !== url.slice(comma + 1)) return Result.fail("is not valid base64")
  return image.success.mediaType === mediaType ? image : Result.fail(mislabelled(mediaType, image.success))
}

/**
 * Returns the predicate for an image that is of another type than its label says.
 *
 * @param label the media type that it was given as
 * @param image the image
 */
export const mislabelled = (label: string, image: ImageData): string => `is ${image.mediaType}, not ${label}`

/**
 * Returns the size of an image, in bytes.
 *
 * @param image the image
 */
export const sizeOf = (image: ImageData): number => Buffer.byteLength(image.base64, "base64")

/**
 * Returns the data URL of an image.
 *
 * @param image the image
 */
export const url = (image: ImageData): string => `data:${image.mediaType};base64,${image.base64}`

interface Form {
  readonly mediaType: ImageMediaType
  readonly begins: (data: Buffer) => boolean
  readonly isWhole: (data: Buffer) => boolean
}

const forms: ReadonlyArray<Form> = [
  {
    mediaType: "image/png",
    begins: (data) => data.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex")),
    isWhole: (data) => data.includes("IEND"),
  },
  {
    mediaType: "image/jpeg",
    begins: (data) => data.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex")),
    isWhole: (data) => data.includes(Buffer.from("ffd9", "hex")),
  },
  {
    mediaType: "image/gif",
    begins: (data) => /^GIF8[79]a/.test(data.toString("latin1", 0, 6)),
    isWhole: (data) => data.includes(0x3b, 13),
  },
  {
    mediaType: "image/webp",
    begins: (data) => data.toString("latin1", 0, 4) === "RIFF" && data.toString("latin1", 8, 12) === "WEBP",
    isWhole: (data) => data.readUInt32LE(4) + 8 <= data.length,
  },
]
