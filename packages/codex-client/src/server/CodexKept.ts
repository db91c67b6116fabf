/**
 * What Codex itself keeps of a thread's restrictions, for a thread without a record.
 *
 * @see Codex 0.171: measured. `thread/resume` restores the approval policy, and a sandbox only if it is `read-only`; otherwise
 *   it applies the user's configuration. The thread's file has both for each turn
 */
import { open } from "node:fs/promises"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import { parseObject } from "@zain/process/JsonRpc"
import type { CodexStartOptions } from "../CodexOptions.ts"

/** The sandbox and the approval policy of a thread. */
export type CodexKept = Required<Pick<CodexStartOptions, "approvalPolicy" | "sandbox">>

/** The narrowest of both, for what is not known. */
const narrowest: CodexKept = { sandbox: "read-only", approvalPolicy: "untrusted" }

const sandboxes: ReadonlyArray<unknown> = ["workspace-write", "danger-full-access"]
const policies: ReadonlyArray<unknown> = ["on-request", "never"]

/**
 * Reads the settings of the last turn of a thread.
 *
 * @param path the thread's file, as Codex names it
 */
export const read = async (path: string | undefined): Promise<CodexKept> => {
  let last: JsonObject = {}
  try {
    await using file = await open(path ?? "")
    for await (const line of file.readLines()) if (line.includes('"turn_context"')) last = contextIn(line) ?? last
  } catch {
    return narrowest
  }
  const [sandbox, approvalPolicy] = [textOf(recordOf(last, "sandbox_policy"), "type"), last["approval_policy"]]
  return {
    sandbox: sandboxes.includes(sandbox) ? (sandbox as CodexKept["sandbox"]) : narrowest.sandbox,
    approvalPolicy: policies.includes(approvalPolicy)
      ? (approvalPolicy as CodexKept["approvalPolicy"])
      : narrowest.approvalPolicy,
  }
}

const contextIn = (line: string): JsonObject | undefined => {
  const { payload, type } = parseObject(line) ?? {}
  return type === "turn_context" ? recordOf({ payload }, "payload") : undefined
}
