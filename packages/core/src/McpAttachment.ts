/**
 * What a request attaches to its prompt.
 */

/** The media types of images that both agents read. */
export type ImageMediaType = "image/png" | "image/jpeg" | "image/webp" | "image/gif"

/**
 * An image or a text file. Paths are read by this process, so the agent may run elsewhere.
 *
 * - `Image` with `bytes` and their `mediaType`, with a data URL in `url`, or with the `path` of a file. PNG, JPEG, WebP and GIF,
 *   by their bytes, not by their name
 * - `TextFile` with a `path`, or with a `name` and its `text`
 */
export type McpAttachment =
  | {
      /** An image. */
      readonly _tag: "Image"
      /** The bytes of the image. */
      readonly bytes: Uint8Array
      /** What the bytes are; a type that they are not is refused. */
      readonly mediaType: ImageMediaType
    }
  | {
      /** An image. */
      readonly _tag: "Image"
      /** A data URL with base64, such as `data:image/png;base64,…`. */
      readonly url: string
    }
  | {
      /** An image. */
      readonly _tag: "Image"
      /** The path of the image, relative to the working directory of this process. */
      readonly path: string
    }
  | {
      /** A text file, which the agent receives before the prompt, with its name. */
      readonly _tag: "TextFile"
      /** The path of the file, relative to the working directory of this process. */
      readonly path: string
      /** The name that the agent reads; `path` by default. */
      readonly name?: string
    }
  | {
      /** A text that the agent receives as a file. */
      readonly _tag: "TextFile"
      /** The name that the agent reads. */
      readonly name: string
      /** The text of the file. */
      readonly text: string
    }
