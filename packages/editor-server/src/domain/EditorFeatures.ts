/**
 * What an editor offers to clients beside tools.
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Arguments } from "./Catalogue.ts"
import type { DomainError } from "./DomainError.ts"

/**
 * An editor, as far as it is read.
 *
 * - `read`: what it answers to a call that changes nothing. The same call is not sent again until its content may have changed
 */
export interface EditorContent {
  readonly read: (method: string, params: Arguments) => Effect.Effect<unknown, DomainError>
}

/** What clients list. */
export interface EditorResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
}

/** `uriTemplate`: by RFC 6570. */
export interface EditorResourceTemplate extends Omit<EditorResource, "uri"> {
  readonly uriTemplate: string
}

/** A part of a resource: a text, or bytes in Base64. */
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

/**
 * A text that a user starts with.
 *
 * - `write`: the text, or one sentence on what is wrong with the arguments
 */
export interface EditorPrompt {
  readonly name: string
  readonly description: string
  readonly parameters: ReadonlyArray<PromptParameter>
  readonly write: (args: Readonly<Record<string, string>>) => Result.Result<string, string>
}

export interface PromptParameter {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
}

/**
 * The features of one editor.
 *
 * - `read`: the contents of a resource; `undefined` where there is none of this URI
 * - `complete`: what an argument of a prompt or of a template may be, all of it
 */
export interface EditorFeatures {
  readonly resources: ReadonlyArray<EditorResource>
  readonly templates: ReadonlyArray<EditorResourceTemplate>
  readonly read: (uri: string) => Effect.Effect<ReadonlyArray<ResourceContents> | undefined, DomainError>
  readonly prompts: ReadonlyArray<EditorPrompt>
  readonly complete: (argument: string) => Effect.Effect<ReadonlyArray<string>, DomainError>
}
