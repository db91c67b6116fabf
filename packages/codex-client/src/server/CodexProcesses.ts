/**
 * The processes of commands.
 *
 * @see Codex 0.171: measured. It reports the end of a command before the processes are gone, and no process id (`osPid` is
 *   null). The environment of a command names its call and its thread
 */
import * as ProcessTable from "@zain/process/ProcessTable"
import * as ProcessTree from "@zain/process/ProcessTree"
import * as Effect from "effect/Effect"
import type { Call } from "./CodexWork.ts"

/** A command of Codex, by its call. */
export type Command = Pick<Call, "id" | "threadId">

const variables = ["CODEX_TOOL_CALL_ID", "CODEX_THREAD_ID"]

const treeOf = ({ id, threadId }: Command) => ProcessTree.make(undefined, `${id} ${threadId}`)

/** The commands that have processes. */
export const alive = <One extends Command>(commands: ReadonlyArray<One>): ReadonlyArray<One> => {
  if (commands.length === 0) return []
  const table = ProcessTable.read(variables)
  return commands.filter((one) => ProcessTree.members(treeOf(one), table).length > 0)
}

/** How often the processes are searched, in milliseconds. */
const again = 20

/** Kills what is left of ended commands, and waits until nothing is. On systems other than Linux nothing is found. */
export const end = Effect.fnUntraced(function* (commands: ReadonlyArray<Command>) {
  const trees = commands.map(treeOf)
  while (trees.length > 0) {
    const table = ProcessTable.read(variables)
    const left = trees.filter((tree) => ProcessTree.members(tree, table).length > 0)
    if (left.length === 0) return
    for (const tree of left) ProcessTree.signal(tree, "SIGKILL", table)
    yield* Effect.sleep(again)
  }
})
