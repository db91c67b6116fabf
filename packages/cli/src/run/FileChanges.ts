/**
 * Which changes of files lie in a directory: by where the files really are, whatever links lead there.
 */
import { isAbsolute, resolve, sep } from "node:path"
import * as McpApproval from "@zain/core/McpApproval"
import * as FollowedPath from "@zain/process/FollowedPath"
import * as Effect from "effect/Effect"

/** Whether all that is to be changed lies in one of the directories. */
export type Within = (
  request: McpApproval.McpApprovalRequest,
  asker: McpApproval.McpApprovalAsker,
) => Effect.Effect<boolean>

/**
 * Between this look and the agent's own, somebody may put a link in the place of a directory.
 *
 * @param directories that exist; those that do not hold nothing
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

/** The same with the places of its files; `undefined` where there is one that cannot be told. */
const real = async (request: McpApproval.McpApprovalRequest): Promise<McpApproval.McpApprovalRequest | undefined> => {
  const { paths = [] } = request
  const cwd = request.cwd === undefined || !isAbsolute(request.cwd) ? undefined : await placeOf(request.cwd)
  const places: Array<string> = []
  for (const path of paths) {
    // A relative one has to be inside by its name too: `~/x` is not what it looks like.
    if (!isAbsolute(path)) places.push(path)
    const whole = isAbsolute(path) ? path : `${cwd}${sep}${path}`
    // Programs differ in what `link/..` is: the directory that holds the link, or the one above where it leads.
    for (const place of [await placeOf(whole), await placeOf(resolve(whole))]) {
      if (place === undefined || (cwd === undefined && whole !== path)) return undefined
      places.push(place)
    }
  }
  const { cwd: _, ...others } = request
  return { ...others, ...(cwd === undefined ? {} : { cwd }), paths: places }
}

/** Where a path leads; `undefined` where that cannot be told. */
const placeOf = async (path: string): Promise<string | undefined> => {
  const { isCertain, place } = await FollowedPath.follow(path)
  return isCertain ? place : undefined
}
