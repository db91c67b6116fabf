/**
 * Limits threads to the roots of a client, if it has any.
 *
 * Paths are checked after their links are resolved, and agents receive the resolved path, so that a link that changes
 * afterwards has no effect.
 *
 * @see docs/internals/promises.md, 29
 */
import { realpath, stat } from "node:fs/promises"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import { clip, maxEchoLength } from "@zain/command/Clip"
import type { McpApprovalRequest } from "@zain/core/McpApproval"
import * as McpProvider from "@zain/core/McpProvider"
import * as FollowedPath from "@zain/process/FollowedPath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type AgentError, invalidConfig, refused } from "./AgentError.ts"
import { more } from "./ToolPaths.ts"

/** The directories, absolute and without links, to which the caller's threads are limited. Empty: no limit. */
export const Roots = Context.Reference<ReadonlyArray<string>>("Workspace/Roots", { defaultValue: () => [] })

/** How much of a path a message shows, in characters. */
const shown = 300

/**
 * The directory of a new thread as an absolute path; with roots, without links. Fails with `agent-refused` when it does not
 * exist, and with roots, when it lies outside of them or `leadsOut` is not empty.
 *
 * @param cwd as the client gave it. A relative path starts from this process's directory, or from the first root; with roots,
 *   the default is the first one
 * @param leadsOut options of the client that lead out of any root
 */
export const start = Effect.fnUntraced(function* <Cwd extends string | undefined>(
  cwd: Cwd,
  leadsOut: ReadonlyArray<string>,
): Effect.fn.Return<string | Cwd, AgentError> {
  const roots = yield* Roots
  const [first] = roots
  if (first === undefined) return cwd === undefined ? cwd : yield* existing(cwd)
  if (leadsOut.length > 0) {
    return yield* refused(`Refused, as it can lead out of ${named(roots)}: ${leadsOut.join(", ")}. Leave it out.`)
  }
  const found = yield* Effect.promise(() => directory(resolve(first, cwd ?? "")))
  if (found !== undefined && isInside(roots, found)) return found
  return yield* refused(
    `\`cwd\` must be an existing directory inside ${named(roots)}; ${clip(cwd ?? first, shown)} is not.`,
  )
})

/**
 * The directory of a thread that is continued. Fails with `agent-refused` for a thread outside of the roots.
 *
 * @param cwd the directory in its record, if there is one
 * @param leadsOut options in its record that lead out of any root
 */
export const resume = (threadId: string, cwd: string | undefined, leadsOut: ReadonlyArray<string>) =>
  Effect.flatMap(Roots, (roots) =>
    roots.length === 0
      ? Effect.succeed(cwd)
      : Effect.mapError(start(cwd ?? ".", leadsOut), () => outside(roots, threadId)).pipe(
          Effect.map((found) => (cwd === undefined ? undefined : found)),
        ),
  )

/**
 * The directory of one turn, without links. Fails with `invalid-config` when it does not exist in the thread's own, and for one
 * of `McpProvider.setupNames`, which no agent may have to write in as a whole.
 *
 * @param own the thread's directory
 * @param cwd as the client gave it. A relative path starts from the thread's
 */
export const inside = Effect.fnUntraced(function* (own: string, cwd: string): Effect.fn.Return<string, AgentError> {
  const [root, found] = yield* Effect.promise(() => Promise.all([directory(own), directory(resolve(own, cwd))]))
  const isGuarded = relative(root ?? own, found ?? own)
    .split(sep)
    .some((part) => McpProvider.setupNames.includes(part.toLowerCase()))
  if (root !== undefined && found !== undefined && isInside([root], found) && !isGuarded) return found
  const message = `\`cwd\` of one turn must be an existing directory inside ${clip(own, shown)}, the session's, and not in one such as .git; ${clip(cwd, shown)} is not.`
  return yield* invalidConfig(message)
})

/**
 * The further directories of a thread; with roots, without links. Fails with `invalid-config` for one that is not an absolute
 * path, does not exist, or lies outside of the roots.
 */
export const further = Effect.fnUntraced(function* (
  directories: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<string>, AgentError> {
  const roots = yield* Roots
  const found: Array<string> = []
  for (const path of directories) {
    const real = isAbsolute(path) ? yield* Effect.promise(() => directory(path)) : undefined
    if (real === undefined || (roots.length > 0 && !isInside(roots, real))) {
      const where = roots.length === 0 ? "" : ` inside ${named(roots)}`
      const message = `\`directories\` must be absolute paths of existing directories${where}; ${clip(path, shown)} is not.`
      return yield* invalidConfig(message)
    }
    found.push(roots.length === 0 ? path : real)
  }
  return found
})

/** The refusal of a thread outside of the roots. */
export const outside = (roots: ReadonlyArray<string>, threadId: string): AgentError =>
  refused(
    `Thread ${clip(threadId, maxEchoLength)} was started outside of ${named(roots)}, or with options that lead out of it. Start a new one.`,
  )

/**
 * Why an approval is declined without the client: it names a path outside of the roots, or changes files or leaves the sandbox
 * without naming a path.
 *
 * @param isWider whether it requests to write more than its paths
 * @returns one sentence for the agent, or `undefined`
 */
export const objection = async (
  roots: ReadonlyArray<string>,
  { cwd, input, kind, paths = [] }: McpApprovalRequest,
  isWider = false,
): Promise<string | undefined> => {
  if (roots.length === 0) return undefined
  if (paths.includes(more)) {
    return `It has too many or too long paths to check whether all lie inside ${named(roots)}. This server limits work to it.`
  }
  for (const path of cwd === undefined ? paths : [cwd, ...paths]) {
    const whole = cwd === undefined || isAbsolute(path) ? path : `${cwd}${sep}${path}`
    if (isAbsolute(whole) && (await holds(roots, whole))) continue
    return `${clip(path, shown)} is not an absolute path inside ${named(roots)}. This server limits work to it.`
  }
  if (kind === "file-change" && paths.length === 0) {
    return `It does not name the files that it changes, so it cannot be checked against ${named(roots)}. This server limits work to it.`
  }
  return isWider || (kind === "permission" && input !== undefined && paths.length === 0)
    ? `A wider sandbox can lead out of ${named(roots)}. This server limits work to it.`
    : undefined
}

/**
 * The same request, with the targets of links added to its paths, because a rule for a directory does not cover what a link in
 * it points to. Paths without links below the request's `cwd` stay unchanged.
 */
export const followed = async (request: McpApprovalRequest): Promise<McpApprovalRequest> => {
  const { cwd = "", kind, paths = [] } = request
  const known = new Map<string, FollowedPath.FollowedPath>()
  const placeOf = async (path: string) => (await FollowedPath.follow(path, known)).place
  const base =
    isAbsolute(cwd) && !FollowedPath.isTooLong(cwd) ? { name: resolve(cwd), place: await placeOf(cwd) } : undefined
  // A command runs in the target of its directory.
  const led = kind === "command" && base !== undefined && base.place !== base.name ? [base.place] : []
  if (paths.length > maxPaths || [cwd, ...paths].some(FollowedPath.isTooLong)) led.push(more)
  for (const path of paths.slice(0, maxPaths)) {
    if (FollowedPath.isTooLong(path)) continue
    const whole = isAbsolute(path) ? path : base && `${base.name}${sep}${path}`
    if (whole === undefined) continue
    const name = resolve(whole)
    const usual = base !== undefined && isInside([base.name], name) ? join(base.place, relative(base.name, name)) : name
    for (const place of new Set([await placeOf(whole), await placeOf(name)])) {
      if (place !== usual) led.push(place)
    }
  }
  return led.length === 0 ? request : { ...request, paths: [...new Set([...paths, ...led])] }
}

/** How many paths of a request are resolved. */
const maxPaths = 256

/** Whether absolute paths, which may not exist yet, lie inside the roots once their links are resolved. */
export const hold = async (roots: ReadonlyArray<string>, paths: ReadonlyArray<string>): Promise<boolean> => {
  for (const path of paths) if (!(await holds(roots, path))) return false
  return true
}

/** An agent may resolve `..` after a link, or as text before it, so both must lie inside. */
const holds = async (roots: ReadonlyArray<string>, path: string): Promise<boolean> =>
  (await leadsInside(roots, path)) && (resolve(path) === path || (await leadsInside(roots, resolve(path))))

const leadsInside = async (roots: ReadonlyArray<string>, path: string): Promise<boolean> => {
  const { isCertain, place } = await FollowedPath.follow(path)
  return isCertain && isInside(roots, place)
}

/** Roots, for people. */
export const named = (roots: ReadonlyArray<string>): string =>
  `${roots.length === 1 ? "the root" : "one of the roots"} ${clip(roots.join(", "), shown)}`

const isInside = (roots: ReadonlyArray<string>, real: string): boolean =>
  roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))

const existing = (cwd: string) =>
  Effect.flatMap(
    Effect.promise(() => isDirectory(cwd)),
    (isThere) =>
      isThere
        ? Effect.succeed(resolve(cwd))
        : refused(`\`cwd\` must be an existing directory; ${clip(cwd, shown)} is not.`),
  )

const directory = async (path: string): Promise<string | undefined> => {
  const real = await realpath(path).catch(() => undefined)
  return real !== undefined && (await isDirectory(real)) ? real : undefined
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
