/**
 * What the files of a project declare, kept in memory as long as the files stay the same.
 */

import type { DomainError } from "@zain/editor-link/domain/DomainError"
import * as Effect from "effect/Effect"
import type { CSharp } from "./CSharp.ts"
import type { Declared } from "./Outline.ts"
import * as ScriptFiles from "./ScriptFiles.ts"

/** A declaration, and the file that it is in. */
export interface Indexed extends Omit<Declared, "span" | "name" | "body" | "variable" | "type" | "bases"> {
  readonly file: string
  readonly type: string | undefined
  readonly bases: ReadonlyArray<string> | undefined
}

interface Entry {
  readonly size: number
  readonly mtimeMs: number
  readonly symbols: ReadonlyArray<Indexed>
  readonly isWhole: boolean
}

/**
 * - `files`: how many were looked at; `parsed`: how many of them anew
 */
export interface Refreshed {
  readonly symbols: ReadonlyArray<Indexed>
  readonly files: number
  readonly parsed: number
  /** Those that could not be read or parsed, the first ten. */
  readonly failed: ReadonlyArray<string>
  /** Whether all symbols of the scope are in it. */
  readonly isWhole: boolean
}

export interface RefreshOptions {
  /** A pause after each file that is parsed. */
  readonly throttleMs?: number
  /** How often a file is tried again. */
  readonly retry?: number
  /** How many files are read at once. */
  readonly concurrency?: number
  /** Receives how far it is. */
  readonly progress?: (message: string) => void
}

export interface CodeIndex {
  readonly refresh: (csharp: CSharp, scope: string, options?: RefreshOptions) => Effect.Effect<Refreshed, DomainError>
  readonly update: (
    csharp: CSharp,
    paths: ReadonlyArray<string>,
    options?: RefreshOptions,
  ) => Effect.Effect<Refreshed, DomainError>
  readonly status: Effect.Effect<{
    readonly files: number
    readonly symbols: number
    readonly stale: number
    readonly builtAt: string | undefined
  }>
}

/** How many declarations an index holds. */
export const maxDeclarations = 200_000

/** Progress is reported after so many files. */
const step = 200

/** Without the places in the file. All have the same members, as objects of one shape take the least memory. */
const indexed = (symbol: Declared, file: string): Indexed => ({
  file,
  kind: symbol.kind,
  path: symbol.path,
  namespace: symbol.namespace,
  signature: symbol.signature,
  line: symbol.line,
  endLine: symbol.endLine,
  type: symbol.type,
  bases: symbol.bases,
  modifiers: symbol.modifiers,
})

/** @param project without links */
export const make = (project: string): CodeIndex => {
  const entries = new Map<string, Entry>()
  let held = 0
  let builtAt: number | undefined

  const put = (path: string, entry: Entry | undefined) => {
    held += (entry?.symbols.length ?? 0) - (entries.get(path)?.symbols.length ?? 0)
    if (entry === undefined) entries.delete(path)
    else entries.set(path, entry)
  }

  const parse = Effect.fnUntraced(function* (csharp: CSharp, path: string) {
    const { mtimeMs, size, text } = yield* ScriptFiles.read(project, path)
    const { isWhole, symbols } = yield* csharp("outline", { text }, path)
    const room = maxDeclarations - held + (entries.get(path)?.symbols.length ?? 0)
    const isFitting = symbols.length <= room
    put(path, {
      size,
      mtimeMs,
      symbols: isFitting ? symbols.map((symbol) => indexed(symbol, path)) : [],
      isWhole: isWhole && isFitting,
    })
  })

  const parseAll = Effect.fnUntraced(function* (csharp: CSharp, paths: ReadonlyArray<string>, options: RefreshOptions) {
    const { concurrency = 1, progress, retry = 0, throttleMs = 0 } = options
    const failed: Array<string> = []
    let done = 0
    yield* Effect.forEach(
      paths,
      (path) =>
        Effect.gen(function* () {
          const outcome = yield* Effect.result(Effect.retry(parse(csharp, path), { times: retry }))
          if (outcome._tag === "Failure") {
            put(path, undefined)
            failed.push(outcome.failure.message)
          }
          if (++done % step === 0) progress?.(`${done} of ${paths.length} files parsed`)
          yield* throttleMs > 0 ? Effect.sleep(throttleMs) : Effect.yieldNow
        }),
      { concurrency, discard: true },
    )
    builtAt = Date.now()
    return failed
  })

  const refresh: CodeIndex["refresh"] = Effect.fnUntraced(function* (csharp, scope, options = {}) {
    const walked = yield* ScriptFiles.walk(project, scope)
    const present = new Set(walked.files.map(({ path }) => path))
    const directories = ScriptFiles.scopes[scope] ?? []
    for (const path of entries.keys()) {
      const isOfScope = directories.some((directory) => path.startsWith(`${directory}/`))
      // Files of other scopes leave when the index is half full.
      if (isOfScope ? !present.has(path) : held > maxDeclarations / 2) put(path, undefined)
    }
    const changed = walked.files.filter(isChanged).map(({ path }) => path)
    const failed = yield* parseAll(csharp, changed, options)
    const found = walked.files.flatMap(({ path }) => entries.get(path) ?? [])
    return {
      symbols: found.flatMap(({ symbols }) => symbols),
      files: walked.files.length,
      parsed: changed.length - failed.length,
      failed: failed.slice(0, 10),
      isWhole: walked.isWhole && failed.length === 0 && found.every(({ isWhole }) => isWhole),
    }
  })

  const isChanged = ({ mtimeMs, path, size }: ScriptFiles.ProjectFile): boolean => {
    const entry = entries.get(path)
    return entry?.size !== size || entry.mtimeMs !== mtimeMs
  }

  return {
    refresh,
    update: Effect.fnUntraced(function* (csharp, paths, options = {}) {
      const failed = yield* parseAll(csharp, paths, options)
      const found = paths.flatMap((path) => entries.get(path) ?? [])
      return {
        symbols: found.flatMap(({ symbols }) => symbols),
        files: paths.length,
        parsed: paths.length - failed.length,
        failed: failed.slice(0, 10),
        isWhole: failed.length === 0 && found.every(({ isWhole }) => isWhole),
      }
    }),
    status: Effect.gen(function* () {
      const { files } = yield* ScriptFiles.walk(project, "own")
      return {
        files: entries.size,
        symbols: held,
        stale: files.filter(isChanged).length,
        builtAt: builtAt === undefined ? undefined : new Date(builtAt).toISOString(),
      }
    }),
  }
}
