/**
 * The tools that read scripts, search them, and list the packages that they lie in.
 */
import { readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import type { DomainError } from "@zain/editor-link/domain/DomainError"
import { gauge } from "@zain/process/JsonBounds"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { Pattern } from "./CSharpThread.ts"
import * as ScriptFiles from "./ScriptFiles.ts"
import { Arg, type Work } from "./ScriptProject.ts"
import * as ScriptRefusal from "./ScriptRefusal.ts"
import { budget, snippet } from "./ScriptText.ts"

/** `script_read`: lines of a file. */
export const readScript: Work = Effect.fnUntraced(function* (args, { root }) {
  const file = yield* ScriptFiles.read(root, Arg.text(args, "path"))
  const lines = file.text.split("\n")
  const first = Arg.whole(args, "startLine", 1, 1, Number.MAX_SAFE_INTEGER)
  const last = Arg.whole(args, "endLine", lines.length, 1, Number.MAX_SAFE_INTEGER)
  if (first > lines.length) {
    return yield* ScriptRefusal.refused(
      `${file.path} has ${lines.length} lines; startLine is ${first}. Use a smaller one`,
    )
  }
  if (last < first) return yield* ScriptRefusal.refused(`endLine ${last} is before startLine ${first}. Exchange them`)
  const wanted = lines.slice(first - 1, last).map((line) => line.replace(/\r$/, ""))
  const { isWhole, lines: shown } = fitting(wanted, Arg.maxBytes(args))
  const end = first + shown.length - 1
  return {
    path: file.path,
    startLine: first,
    endLine: end,
    totalLines: lines.length,
    text: shown.join("\n"),
    ...(isWhole ? {} : { truncated: true, ...(end < lines.length ? { nextStartLine: end + 1 } : {}) }),
    ...(file.isExact ? {} : { note: "The file is not valid UTF-8: U+FFFD stands for what cannot be read" }),
  }
})

/** As many lines as fit; of a first line that does not, its beginning. */
const fitting = (wanted: ReadonlyArray<string>, max: number) => {
  let bytes = 0
  let count = 0
  for (const line of wanted) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > max) break
    count++
  }
  if (count > 0 || wanted.length === 0) return { lines: wanted.slice(0, count), isWhole: count === wanted.length }
  const beginning = Buffer.from(wanted[0] ?? "").subarray(0, max)
  return { lines: [beginning.toString("utf8").replace(/\uFFFD+$/, "")], isWhole: false }
}

/** The longest pattern, in characters. */
const maxPatternLength = 1_000

/** How long the expression of one search may be matched, in milliseconds. */
const maxMatchMillis = 15_000

/** `script_search`: a text, an expression or a glob in the scripts of a project. */
export const searchScripts: Work = Effect.fnUntraced(function* (args, { csharp, progress, root }) {
  const type = Arg.optionalText(args, "patternType") ?? "substring"
  const wanted = Arg.optionalText(args, "pattern")
  const isGlob = type === "glob"
  const include = (isGlob ? wanted : undefined) ?? Arg.optionalText(args, "include")
  const exclude = Arg.optionalText(args, "exclude")
  for (const [name, value] of Object.entries({ pattern: wanted, include, exclude })) {
    if ((value?.length ?? 0) > maxPatternLength) {
      return yield* ScriptRefusal.tooLarge(
        `\`${name}\` has more than ${maxPatternLength} characters. Search for a shorter part`,
      )
    }
  }
  if (!isGlob && wanted === undefined) {
    return yield* ScriptRefusal.refused("`pattern` is missing. Give one, or use patternType glob with include")
  }
  const flags = [...new Set(Arg.texts(args, "flags").join(""))].filter((each) => !"gmy".includes(each)).join("")
  const problem = type === "regex" ? invalid(wanted ?? "", flags) : undefined
  if (problem !== undefined)
    return yield* ScriptRefusal.refused(`The pattern is not a regular expression: ${problem}. Correct it`)

  const walked = yield* ScriptFiles.walk(root, Arg.optionalText(args, "scope") ?? "own")
  const all = walked.files.map(({ path }) => path)
  const isAll = include === undefined && exclude === undefined
  const globbed = isAll ? all : yield* csharp("globbed", { paths: all, include, exclude }, "The glob")
  const startAfter = Arg.optionalText(args, "startAfter")
  const from = startAfter === undefined ? 0 : globbed.indexOf(startAfter) + 1
  if (startAfter !== undefined && from === 0) {
    return yield* ScriptRefusal.refused("`startAfter` names no file of this search. Use the cursor of the page before")
  }
  const sizes = new Map(walked.files.map(({ path, size }) => [path, size]))
  const limit = 1_024 * Arg.whole(args, "maxFileSizeKB", 1_024, 1, 2_048)
  const pageSize = Arg.whole(args, "pageSize", 20, 1, 1_000)
  const maxMatches = Arg.whole(args, "maxMatchesPerFile", 5, 1, 1_000)
  const context = Arg.whole(args, "snippetContext", 2, 0, 50)
  const detail = Arg.optionalText(args, "detail") ?? Arg.optionalText(args, "returnMode") ?? "snippets"
  const fits = budget(Arg.maxBytes(args))
  const pattern: Pattern = {
    text: wanted ?? "",
    isExpression: type === "regex",
    flags,
    isCodeOnly: Arg.flag(args, "codeOnly", true),
    ...filters(args),
  }

  const results: Array<object> = []
  let [cursor, last, skipped, matching, searched] = ["", startAfter, walked.skipped, 0, 0]
  for (const path of globbed.slice(from)) {
    if (results.length >= pageSize) {
      cursor = last ?? ""
      break
    }
    const size = sizes.get(path) ?? 0
    let found: object | undefined
    if (isGlob) found = { path, size }
    else if (size > limit) skipped++
    else {
      const file = yield* Effect.result(ScriptFiles.read(root, path))
      if (++searched % 500 === 0) progress(`${searched} of ${globbed.length - from} files searched`)
      if (file._tag === "Failure") skipped++
      else if (pattern.isExpression || file.success.text.includes(pattern.text)) {
        const { text } = file.success
        const before = performance.now()
        const lines = yield* csharp("matches", { text, pattern, max: maxMatches }, `The search in ${path}`)
        matching += performance.now() - before
        if (matching > maxMatchMillis && pattern.isExpression)
          return yield* ScriptRefusal.slow("The search", maxMatchMillis)
        if (lines.length > 0) found = described(path, text, lines, { maxMatches, detail, context })
      }
    }
    if (found !== undefined) {
      if (!fits(found)) {
        if (results.length > 0) cursor = last ?? ""
        else
          return yield* ScriptRefusal.tooLarge(
            `The matches in ${path} alone exceed maxBytes. Raise it, or use detail metadata`,
          )
        break
      }
      results.push(found)
    }
    last = path
  }
  return {
    results,
    files: results.length,
    ...(cursor === "" ? { truncated: !walked.isWhole } : { truncated: true, cursor }),
    ...(skipped > 0 ? { skipped } : {}),
  }
})

/** Why a text is no regular expression. */
const invalid = (source: string, flags: string): string | undefined => {
  if (/[^isu]/.test(flags)) return `flags are i, m, s and u, not ${flags.slice(0, 20)}`
  try {
    new RegExp(source, flags)
    return undefined
  } catch (cause) {
    return (cause as Error).message
  }
}

const filters = (args: Parameters<Work>[0]) =>
  Object.fromEntries(
    ["container", "namespace", "identifier"].flatMap((name) => {
      const value = Arg.optionalText(args, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const described = (
  path: string,
  text: string,
  found: ReadonlyArray<number>,
  { context, detail, maxMatches }: { readonly maxMatches: number; readonly detail: string; readonly context: number },
): object => {
  const shown = found.slice(0, maxMatches)
  const more = found.length > maxMatches ? { moreMatches: true } : {}
  if (detail === "metadata") return { path, lines: shown, ...more }
  if (detail === "full") return { path, lines: shown, ...more, text: text.replaceAll("\r\n", "\n") }
  const lines = text.split("\n")
  return { path, matches: shown.map((line) => ({ line, snippet: snippet(lines, line, context) })), ...more }
}

interface Package {
  readonly name: string
  readonly version: string
  readonly source: string
  readonly isDirect: boolean
  readonly path?: string
}

const maxPackages = 2_000

const bounds = { maxDepth: 64, maxElements: 100_000 }

/** `script_packages_list`: the packages of a project, by its manifest, its lock file and what lies there. */
export const listPackages: Work = Effect.fnUntraced(function* (args, { root }) {
  const manifest = members(yield* json(root, "Packages/manifest.json"), "dependencies")
  const locked = members(yield* json(root, "Packages/packages-lock.json"), "dependencies")
  const found = new Map<string, Package>()
  for (const [name, wanted] of Object.entries(manifest)) {
    const version = typeof wanted === "string" ? wanted : ""
    found.set(name, { name, version, source: sourceOf(name, version), isDirect: true })
  }
  for (const [name, entry] of Object.entries(locked)) {
    const { source, version } = objectOf(entry)
    const before = found.get(name)
    found.set(name, {
      name,
      version: typeof version === "string" ? version : (before?.version ?? ""),
      source: typeof source === "string" ? source : (before?.source ?? "registry"),
      isDirect: before !== undefined,
    })
  }
  for (const directory of yield* names(root, "Packages")) {
    const path = `Packages/${directory}`
    const about = yield* Effect.orElseSucceed(json(root, `${path}/package.json`), () => undefined)
    if (about === undefined) continue
    const name = typeof about["name"] === "string" ? about["name"] : directory
    const version = typeof about["version"] === "string" ? about["version"] : ""
    found.set(name, { name, version, source: "embedded", isDirect: true, path })
  }
  for (const directory of yield* names(root, "Library/PackageCache")) {
    const [name = "", version = ""] = directory.split("@")
    const path = `Library/PackageCache/${directory}`
    const before = found.get(name)
    if (before?.path === undefined) {
      found.set(name, { ...(before ?? { name, version, source: "cache", isDirect: false }), path })
    }
  }
  const includesBuiltIn = Arg.flag(args, "includeBuiltIn", false)
  const shown = [...found.values()].filter(({ source }) => includesBuiltIn || source !== "builtin")
  shown.sort((one, other) => (one.name < other.name ? -1 : 1))
  return {
    packages: shown.slice(0, maxPackages),
    total: shown.length,
    ...(shown.length > maxPackages ? { truncated: true } : {}),
  }
})

const sourceOf = (name: string, version: string): string => {
  if (name.startsWith("com.unity.modules.")) return "builtin"
  if (version.startsWith("file:")) return "local"
  return /^(git|https?|ssh)[:@+]|\.git(#|$)/.test(version) ? "git" : "registry"
}

const members = (value: Readonly<Record<string, unknown>> | undefined, name: string) => objectOf(value?.[name])

const objectOf = (value: unknown) => (isRecord(value) ? value : {})

/** The names in a directory of the project; none where it is not there or leads out of it. */
const names = (root: string, path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const place = await realpath(join(root, path)).catch(() => undefined)
    if (place !== join(root, path)) return []
    const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).slice(0, maxPackages)
  })

/** An object of a JSON file; `undefined` where there is no such file in the project. */
const json = (root: string, path: string): Effect.Effect<Readonly<Record<string, unknown>> | undefined, DomainError> =>
  Effect.tryPromise({
    try: async () => {
      const whole = join(root, path)
      if ((await realpath(whole).catch(() => undefined)) !== whole) return undefined
      const content = await ScriptFiles.bytesOf(whole)
      if (typeof content === "string")
        throw new Error(content === "too-large" ? "it is too large" : "it is no regular file")
      if (gauge(bounds)(content.bytes) !== undefined) throw new Error("it is nested too deep or has too many values")
      return objectOf(JSON.parse(content.bytes.toString("utf8").replace(/^\uFEFF/, "")))
    },
    catch: (cause) => ScriptRefusal.failed(`${path} cannot be read: ${(cause as Error).message}. Correct the file`),
  })
