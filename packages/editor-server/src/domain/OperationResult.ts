/**
 * What an operation of an editor came to.
 */

/** A piece of a result: text, or an image in Base64. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }

export interface OperationResult {
  /** What a model reads. */
  readonly content: ReadonlyArray<Content>
  /** The same for programs, where the operation declares a schema of it. */
  readonly structuredContent?: Readonly<Record<string, unknown>>
  /** What stands beside it, such as the state of the editor. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A text as it is; any other value as JSON with two spaces. */
export const text = (value: unknown): Content => ({
  type: "text",
  text: typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "null"),
})

export const make = (value: unknown): OperationResult => ({ content: [text(value)] })
