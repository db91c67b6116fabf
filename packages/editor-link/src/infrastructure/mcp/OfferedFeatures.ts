/**
 * What editors offer beside tools, as MCP's features. Of several editors, each URI ends in `?editor=` and the editor's name.
 */

import type { Prompt, ResourceTemplate } from "@modelcontextprotocol/sdk/types.js"
import type * as Features from "@zain/tool-server/Features"
import { codes, invalidParams, ProtocolError } from "@zain/tool-server/ProtocolError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { hint } from "../../domain/Catalogue.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { EditorFeatures, EditorPrompt } from "../../domain/EditorFeatures.ts"
import { maxQuotedLength, quoted } from "../../domain/Quoted.ts"
import * as Failures from "./Failures.ts"

/** `changes`: one element whenever what the editor holds may have changed. */
export interface OfferingEditor {
  readonly features: EditorFeatures
  readonly changes: Stream.Stream<void>
}

export interface OfferedFeatures {
  readonly resources: Features.Resources
  readonly prompts: Features.Prompts
  readonly completions: Features.Complete
}

/** How many values a completion has at most. */
const maxValues = 100

/** MCP's code for a resource that is not there, and the server's own for one that is busy. */
const resourceNotFound = -32_002
const busy = -32_000

const notFound = (uri: string) =>
  new ProtocolError({
    code: resourceNotFound,
    message: `There is no resource ${quoted(uri)}. resources/list and resources/templates/list have them all.`,
    data: { uri: uri.slice(0, maxQuotedLength) },
  })

const failed = (error: DomainError, editor: string) =>
  new ProtocolError({
    code: error.reason === "busy" || error.details?.["rpcCode"] === busy ? busy : codes.internalError,
    message: error.message,
    data: Failures.describe(error, editor, true),
  })

const marker = "?editor="
const marked = (uri: string, editor: string) => (editor === "" ? uri : `${uri}${marker}${editor}`)

/** A URI without its mark, and the editor that the mark names; a single editor has the empty name. */
const unmarked = (uri: string): readonly [uri: string, editor: string] => {
  const at = uri.lastIndexOf(marker)
  return at < 0 ? [uri, ""] : [uri.slice(0, at), uri.slice(at + marker.length)]
}

/** @param editors those of a client, by their names; a single one has the empty name */
export const make = (editors: () => ReadonlyMap<string, OfferingEditor>): OfferedFeatures => {
  const each = <A>(of: (features: EditorFeatures, editor: string) => ReadonlyArray<A>) =>
    [...editors()].flatMap(([editor, { features }]) => of(features, editor))
  const fixed = () => [...editors().values()][0]?.features.fixed ?? []
  const listed = Effect.sync(() => [
    ...each(({ resources }, editor) => resources.map((one) => ({ ...one, uri: marked(one.uri, editor) }))),
    ...fixed().map(({ text: _, ...one }) => one),
  ])
  const templates = Effect.sync(() =>
    each<ResourceTemplate>(({ templates }, editor) =>
      templates.map((one) => ({ ...one, uriTemplate: marked(one.uriTemplate, editor) })),
    ),
  )
  const read: Features.Resources["read"] = Effect.fnUntraced(function* (given) {
    const known = fixed().find(({ uri }) => uri === given)
    if (known !== undefined) return [{ uri: given, mimeType: known.mimeType, text: known.text }]
    const [uri, editor] = unmarked(given)
    const found = editors().get(editor)
    const contents =
      found === undefined
        ? undefined
        : yield* Effect.mapError(found.features.read(uri), (error) => failed(error, editor))
    if (contents === undefined) return yield* notFound(given)
    return contents.map((one) => ({ ...one, uri: marked(one.uri, editor) }))
  })
  const updates = Stream.suspend(() =>
    Stream.mergeAll(
      [...editors()].map(([editor, { changes }]) =>
        Stream.map(changes, () => (uri: string) => unmarked(uri)[1] === editor),
      ),
      { concurrency: "unbounded" },
    ),
  )
  const prompts = () => [...editors().values()][0]?.features.prompts ?? []
  const complete: Features.Complete = Effect.fnUntraced(function* ({ argument, ref }) {
    if (ref.type === "ref/prompt" && promptOf(prompts(), ref.name) === undefined) {
      return yield* unknownPrompt(prompts(), ref.name)
    }
    if (ref.type === "ref/resource" && !(yield* templates).some(({ uriTemplate }) => uriTemplate === ref.uri)) {
      return yield* notFound(ref.uri)
    }
    const asked = ref.type === "ref/resource" ? [editors().get(unmarked(ref.uri)[1])] : [...editors().values()]
    const all = yield* Effect.forEach(asked, (editor) =>
      // Without its editor an argument has nothing to be completed by.
      Effect.orElseSucceed(editor?.features.complete(argument.name) ?? Effect.succeed([]), () => []),
    )
    const start = argument.value.toLowerCase()
    const fitting = [...new Set(all.flat())].filter((value) => value.toLowerCase().startsWith(start))
    return { values: fitting.slice(0, maxValues), total: fitting.length, hasMore: fitting.length > maxValues }
  })
  return {
    resources: { list: listed, templates, read, updates },
    prompts: {
      list: Effect.sync(() => prompts().map(asListed)),
      get: Effect.fnUntraced(function* (name, args) {
        const prompt = promptOf(prompts(), name)
        if (prompt === undefined) return yield* unknownPrompt(prompts(), name)
        const written = write(prompt, args)
        if (Result.isFailure(written)) return yield* invalidParams(`${name}: ${written.failure}`)
        return {
          description: prompt.description,
          messages: [{ role: "user", content: { type: "text", text: written.success } }],
        }
      }),
    },
    completions: complete,
  }
}

const promptOf = (prompts: ReadonlyArray<EditorPrompt>, name: string) => prompts.find((prompt) => prompt.name === name)

const unknownPrompt = (prompts: ReadonlyArray<EditorPrompt>, name: string) => {
  const names = prompts.map((prompt) => prompt.name)
  return invalidParams(`There is no prompt ${quoted(name)}. ${hint(name, names, `Known are ${names.join(", ")}.`)}`)
}

const asListed = ({ description, name, parameters }: EditorPrompt): Prompt => ({
  name,
  description,
  arguments: parameters.map(({ isRequired, ...one }) => ({ ...one, required: isRequired })),
})

const write = (prompt: EditorPrompt, args: Readonly<Record<string, string>>): Result.Result<string, string> => {
  const names = prompt.parameters.map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  if (unknown !== undefined) return Result.fail(`${quoted(unknown)} is unknown: known are ${names.join(", ")}.`)
  const missing = prompt.parameters.find(({ isRequired, name }) => isRequired && (args[name] ?? "").trim() === "")
  return missing === undefined ? prompt.write(args) : Result.fail(`\`params.arguments.${missing.name}\` is missing.`)
}
