/**
 * Which changes of files lie in a directory: by where the files really are, whatever links lead there.
 */
import { lstatSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path"
import * as McpApproval from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

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
  const roots = directories.flatMap((directory) => placeOf(resolve(directory)) ?? [])
  const rules = roots.map((within): McpApproval.McpApprovalRule => ({ kind: "file-change", within, answer: "approve" }))
  const policy = McpApproval.make({ rules })
  return (request, asker) =>
    Effect.suspend(() => {
      const placed = real(request)
      return placed === undefined
        ? Effect.succeed(false)
        : Effect.map(policy(placed, asker), ({ _tag }) => _tag !== "Decline")
    })
}

/** The same with the places of its files; `undefined` where there is one that cannot be told. */
const real = (request: McpApproval.McpApprovalRequest): McpApproval.McpApprovalRequest | undefined => {
  const { paths = [] } = request
  const cwd = request.cwd === undefined || !isAbsolute(request.cwd) ? undefined : placeOf(request.cwd)
  const places: Array<string> = []
  for (const path of paths) {
    // A relative one has to be inside by its name too: `~/x` is not what it looks like.
    if (!isAbsolute(path)) places.push(path)
    const whole = isAbsolute(path) ? path : `${cwd}${sep}${path}`
    // Programs differ in what `link/..` is: the directory that holds the link, or the one above where it leads.
    for (const place of [placeOf(whole), placeOf(resolve(whole))]) {
      if (place === undefined || (cwd === undefined && whole !== path)) return undefined
      places.push(place)
    }
  }
  const { cwd: _, ...others } = request
  return { ...others, ...(cwd === undefined ? {} : { cwd }), paths: places }
}

/** Where a path leads, step by step; what is not there yet is where its name says. */
const placeOf = (path: string): string | undefined => {
  const { root } = parse(path)
  let here: string | undefined = root
  for (const name of path.slice(root.length).split(sep)) {
    if (here === undefined) return undefined
    if (name !== "" && name !== ".") here = name === ".." ? dirname(here) : step(join(here, name))
  }
  return here
}

/** A link to what is not there leads somewhere too, and so may what cannot be looked at. */
const step = (path: string): string | undefined => {
  const led = Result.try(() => realpathSync(path))
  if (Result.isSuccess(led)) return led.success
  const looked = Result.try(() => lstatSync(path, { throwIfNoEntry: false }))
  return Result.isSuccess(looked) && looked.success === undefined ? path : undefined
}
