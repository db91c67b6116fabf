/**
 * The tools of one editor: those of a fixed list, or those that it lists itself.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { MessageService } from "../../application/MessageService.ts"
import { ToolManagementService } from "../../application/ToolManagementService.ts"
import { type ToolQueries, ToolQueryService } from "../../application/ToolQueryService.ts"
import type { EditorTool } from "../../domain/Catalogue.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import type { EditorProfile, Hello, HelloOptions, ProfileCatalogue } from "../../domain/EditorProfile.ts"
import * as ToolNames from "../../domain/ToolNames.ts"
import type * as CatalogueCache from "./CatalogueCache.ts"
import { Link } from "./LinkServices.ts"

const queries = (current: () => ReadonlyArray<EditorTool>): ToolQueries => ({
  getAllTools: Effect.sync(() => current().filter(({ isHidden = false }) => !isHidden)),
  getTool: (name) => Effect.sync(() => ToolNames.find(current(), name)),
})

/** The hello of the connection that is open, or was last. */
const greeting = Effect.map(Link, ({ state }) => {
  let last: Hello | undefined
  return () => {
    const now = SubscriptionRef.getUnsafe(state)
    if (now._tag === "Ready") last = now.hello
    return last
  }
})

const fixed = Effect.fnUntraced(function* ({ tools }: Extract<ProfileCatalogue, { readonly _tag: "Static" }>) {
  const hello = yield* greeting
  let removedFrom: Hello | undefined
  let removed = new Set<string>()
  const current = () => {
    if (hello() !== removedFrom) removed = new Set()
    return removed.size === 0 ? tools : tools.filter(({ name }) => !removed.has(name))
  }
  return ToolManagementService.of({
    ...queries(current),
    initializeDynamicTools: Effect.void,
    refreshTools: Effect.void,
    clearTools: Effect.void,
    removeTool: (name) =>
      Effect.sync(() => {
        current()
        removedFrom = hello()
        removed.add(name)
      }),
  })
})

/** How long the editor may take to list its tools, in milliseconds. */
const listDeadline = 30_000

const dynamic = Effect.fnUntraced(function* (
  { method, params, read }: Extract<ProfileCatalogue, { readonly _tag: "Dynamic" }>,
  { cache, hello: about }: ToolManagementOptions,
) {
  const { request } = yield* MessageService
  const hello = yield* greeting
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  let tools: ReadonlyArray<EditorTool> = read(yield* cache.read)
  let isCleared = false
  let taken: Hello | undefined
  let isRefreshing = false
  let isStale = false

  /** Takes up what the editor listed when it was connected. */
  const current = () => {
    const found = hello()
    if (found === undefined || found === taken) return isCleared ? [] : tools
    taken = found
    isCleared = false
    if (found.tools !== undefined) keep(found.tools)
    return tools
  }
  const keep = (listed: unknown) => {
    tools = read(listed)
    run(cache.write(listed))
  }
  const ask = Effect.map(request(method, params(about), { timeoutMs: listDeadline, isRepeatable: true }), (listed) => {
    // What the editor listed when it was connected is older.
    current()
    keep(listed)
  })
  /** Changes that are reported while the list is on its way are seen by one more. */
  const refreshTools: Effect.Effect<void, DomainError> = Effect.suspend(() => {
    isStale = true
    if (isRefreshing) return Effect.void
    isRefreshing = true
    const renew = Effect.suspend(() => {
      isStale = false
      return ask
    })
    return Effect.ensuring(
      Effect.repeat(renew, { while: () => isStale }),
      Effect.sync(() => {
        isRefreshing = false
      }),
    )
  })
  return ToolManagementService.of({
    ...queries(current),
    initializeDynamicTools: Effect.sync(current),
    refreshTools,
    clearTools: Effect.sync(() => {
      current()
      isCleared = true
    }),
    removeTool: () => Effect.void,
  })
})

export interface ToolManagementOptions {
  readonly hello: HelloOptions
  readonly cache: CatalogueCache.CatalogueCache
}

export const layer = ({ catalogue }: EditorProfile, options: ToolManagementOptions) =>
  Layer.effect(ToolManagementService, catalogue._tag === "Static" ? fixed(catalogue) : dynamic(catalogue, options))

/** The queries alone. */
export const query = Layer.effect(
  ToolQueryService,
  Effect.map(ToolManagementService, (tools) => ToolQueryService.of(tools)),
)
