/**
 * Checks whether changes of files lie in a directory, with links resolved.
 */
import { isAbsolute, resolve, sep } from "node:path"
import * as McpApproval from "@zain/core/McpApproval"
import * as FollowedPath from "@zain/process/FollowedPath"
import * as Effect from "effect/Effect"

/** Whether every changed file lies in one of the directories. */
export type Within = (
  request: McpApproval.McpApprovalRequest,
  asker: McpApproval.McpApprovalAsker,
) => Effect.Effect<boolean>

/**
 * Limit: a link created after this check and before the agent's write is not detected.
 *
 * @param directories missing ones contain nothing
 */
export const within = (directories: ReadonlyArray<string>): Within => {
  const roots = Promise.all(directories.map((directory) => placeOf(resolve(directory))))
  return Effect.fnUntraced(function* (request, asker) {
    const placed = yield* Effect.promise(() => real(request))
    if (placed === undefined) return false
    const places = (yield* Effect.promise(() => roots)).filter((place) => place !== undefined)
    const rules = places.map(
      (within): McpApproval.McpApprovalRule => ({ kind: "file-change", within, answer: "approve" }),
    )
    const { _tag } = yield* McpApproval.make({ rules })(placed, asker)
    return _tag !== "Decline"
  })
}

/** The request with resolved paths; `undefined` if one cannot be resolved. */
const real = async (request: McpApproval.McpApprovalRequest): Promise<McpApproval.McpApprovalRequest | undefined> => {
  const { paths = [] } = request
  const cwd = request.cwd === undefined || !isAbsolute(request.cwd) ? undefined : await placeOf(request.cwd)
  const places: Array<string> = []
  for (const path of paths) {
    // A relative path must lie inside by its name too: `~/x` may be expanded by the agent.
    if (!isAbsolute(path)) places.push(path)
    const whole = isAbsolute(path) ? path : `${cwd}${sep}${path}`
    // Programs resolve `link/..` to the directory that holds the link, or to the parent of its target.
    for (const place of [await placeOf(whole), await placeOf(resolve(whole))]) {
      if (place === undefined || (cwd === undefined && whole !== path)) return undefined
      places.push(place)
    }
  }
  const { cwd: _, ...others } = request
  return { ...others, ...(cwd === undefined ? {} : { cwd }), paths: places }
}

/** The resolved path; `undefined` if unknown. */
const placeOf = async (path: string): Promise<string | undefined> => {
  const { isCertain, place } = await FollowedPath.follow(path)
  return isCertain ? place : undefined
}
