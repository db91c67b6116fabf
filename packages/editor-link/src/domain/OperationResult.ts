/**
 * The result of an operation.
 */

/** A piece of a result: text, or an image in Base64. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }

export interface OperationResult {
  /** The content for the model. */
  readonly content: ReadonlyArray<Content>
  /** The same for programs, if the operation declares an output schema. */
  readonly structuredContent?: Readonly<Record<string, unknown>>
  /** More data, such as the editor's state. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A text unchanged; any other value as JSON with two spaces. */
export const text = (value: unknown): Content => ({
  type: "text",
  text: typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "null"),
})

export const make = (value: unknown): OperationResult => ({ content: [text(value)] })
