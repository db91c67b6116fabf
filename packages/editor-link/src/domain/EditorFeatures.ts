/**
 * What an editor offers to clients beside tools.
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Arguments } from "./Catalogue.ts"
import type { DomainError } from "./DomainError.ts"

/** Reads of an editor, cached. */
export interface EditorContent {
  /** Sends a call that only reads. Its answer is cached until `content-changed`, a call that may change something, or a lost connection. */
  readonly read: (method: string, params: Arguments) => Effect.Effect<unknown, DomainError>
}

/** A resource that clients list. Of several editors, its URI ends in `?editor=` and the editor's name. */
export interface EditorResource {
  readonly uri: string
  readonly name: string
  /** The name that users see. Default: `name`. */
  readonly title?: string
  readonly description: string
  readonly mimeType: string
}

/** A resource that is the same whatever the editor does. Of several editors, its URI is the same too. */
export interface FixedResource extends EditorResource {
  readonly text: string
}

/** A template of resources that clients list. */
export interface EditorResourceTemplate extends Omit<EditorResource, "uri"> {
  /** A template by RFC 6570. */
  readonly uriTemplate: string
}

/** A part of a resource: a text, or bytes in Base64. */
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

/** A prompt that clients offer to users. */
export interface EditorPrompt {
  readonly name: string
  readonly description: string
  readonly parameters: ReadonlyArray<PromptParameter>
  /** Writes the text, or fails with one sentence on an invalid argument. */
  readonly write: (args: Readonly<Record<string, string>>) => Result.Result<string, string>
}

export interface PromptParameter {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
}

/** The features of one editor. */
export interface EditorFeatures {
  readonly resources: ReadonlyArray<EditorResource>
  readonly fixed: ReadonlyArray<FixedResource>
  readonly templates: ReadonlyArray<EditorResourceTemplate>
  /** Reads a resource; `undefined` if no resource has this URI. */
  readonly read: (uri: string) => Effect.Effect<ReadonlyArray<ResourceContents> | undefined, DomainError>
  readonly prompts: ReadonlyArray<EditorPrompt>
  /** Returns all values of an argument of a prompt or template. Clients receive up to 100 that begin with the typed text. */
  readonly complete: (argument: string) => Effect.Effect<ReadonlyArray<string>, DomainError>
}
