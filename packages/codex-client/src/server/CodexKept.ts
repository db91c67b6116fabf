/**
 * What Codex itself keeps of a thread's restrictions, for a thread without a record.
 *
 * @see Codex 0.171: measured. `thread/resume` restores the approval policy, and a sandbox only if it is `read-only`; otherwise
 *   it applies the user's configuration. The thread's file has both for each turn, with what the sandbox allows
 */
import { createReadStream } from "node:fs"
import { type JsonObject, recordOf, textsOf } from "@zain/agent-server/JsonMember"
import { parseObject } from "@zain/process/JsonRpc"
import * as LineFramer from "@zain/process/LineFramer"
import type { CodexStartOptions } from "../CodexOptions.ts"
import { type Config, limits, roots, table } from "./CodexThreadParams.ts"

/** The sandbox and the approval policy of a thread, and the limits of that sandbox. */
export type CodexKept = Required<Pick<CodexStartOptions, "approvalPolicy" | "sandbox">> &
  Pick<CodexStartOptions, "config">

/** The narrowest of both, for what is not known. */
const narrowest: CodexKept = { sandbox: "read-only", approvalPolicy: "untrusted" }

/** Limit of a line, in bytes; one may hold the output of a tool. */
const maxLineBytes = 64 * 1024 * 1024

const sandboxes: ReadonlyArray<unknown> = ["workspace-write", "danger-full-access"]
const policies: ReadonlyArray<unknown> = ["on-request", "never"]

/**
 * Reads the settings of the last turn of a thread.
 *
 * @param path the thread's file, as Codex names it
 */
export const read = async (path: string | undefined): Promise<CodexKept> => {
  let last: JsonObject = {}
  const line = (text: string) => {
    if (text.includes('"turn_context"')) last = contextIn(text, last)
  }
  const take = LineFramer.make(maxLineBytes, { line, oversize: () => line('"turn_context"') })
  try {
    for await (const chunk of createReadStream(path ?? "")) take(chunk)
    // The last line may have no line break.
    take(Buffer.from("\n"))
  } catch {
    return narrowest
  }
  const policy = recordOf(last, "sandbox_policy")
  const [sandbox, approvalPolicy] = [policy["type"], last["approval_policy"]]
  return {
    ...(sandbox === "workspace-write" ? { config: limitsOf(policy) } : {}),
    sandbox: sandboxes.includes(sandbox) ? (sandbox as CodexKept["sandbox"]) : narrowest.sandbox,
    approvalPolicy: policies.includes(approvalPolicy)
      ? (approvalPolicy as CodexKept["approvalPolicy"])
      : narrowest.approvalPolicy,
  }
}

/** What a sandbox does not allow, as settings. Without one of them, the user's configuration decides. */
const limitsOf = (policy: JsonObject): Config =>
  Object.fromEntries(
    Object.entries({ ...limits, [roots]: textsOf(policy, "writable_roots") }).filter(
      ([key, limit]) => key === roots || policy[key.slice(table.length)] !== !limit,
    ),
  )

/** The settings that a line has, or `last`. Of a line that cannot be read, none are known. */
const contextIn = (line: string, last: JsonObject): JsonObject => {
  const { payload, type } = parseObject(line) ?? { type: "turn_context" }
  return type === "turn_context" ? recordOf({ payload }, "payload") : last
}
