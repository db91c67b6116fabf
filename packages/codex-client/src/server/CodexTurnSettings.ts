/**
 * The options of one turn. Codex keeps what `turn/start` sets, so it is set back when the turn ends.
 *
 * @see Codex 0.171 app-server: measured
 */
import { type AgentError, invalidConfig, notSupported } from "@zain/agent-server/AgentError"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import * as Workspace from "@zain/agent-server/Workspace"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { CodexStartOptions, CodexTurnOptions } from "../CodexOptions.ts"
import type { CodexSettings } from "./CodexSettings.ts"

/** The settings of one turn. */
export interface CodexTurnSettings {
  /** Parameters of `turn/start`, in place of the thread's. */
  readonly turn: JsonObject
  /** Parameters of `thread/settings/update`, which set the thread's own again. */
  readonly back: JsonObject
  /** The thread's own, for its record: a Codex that ends in the turn keeps those of the turn. */
  readonly own: CodexStartOptions
}

/** The modes of the sandbox, from the narrowest on, and Codex's names for their policies. */
const modes = [
  ["read-only", "readOnly"],
  ["workspace-write", "workspaceWrite"],
  ["danger-full-access", "dangerFullAccess"],
] as const

/**
 * Makes the settings of one turn. Fails with `invalid-config` for a directory outside of the thread's, and for a sandbox that
 * permits more than the thread's.
 */
export const make = Effect.fnUntraced(function* (
  settings: CodexSettings,
  { cwd, effort, model, sandbox }: CodexTurnOptions,
): Effect.fn.Return<CodexTurnSettings, AgentError> {
  const { held } = settings
  const own = { model: textOf(held, "model"), cwd: textOf(held, "cwd"), effort: textOf(held, "reasoningEffort") }
  if (own.model === undefined || own.cwd === undefined) return yield* mute
  const place = cwd === undefined ? undefined : yield* Workspace.inside(own.cwd, cwd)
  const { approvalPolicy, ...permitted } = settings.turn
  // A profile may permit less than the policy that stands for it.
  const isProfiled = "permissions" in permitted || isRecord(held["activePermissionProfile"])
  const before = isProfiled ? permitted : { sandboxPolicy: recordOf(held, "sandbox"), ...permitted }
  const level = modes.findIndex(([, type]) => type === recordOf(before, "sandboxPolicy")["type"])
  const wanted = modes.findIndex(([mode]) => mode === sandbox)
  if (wanted > level) return yield* tooWide(sandbox ?? "", modes[level]?.[0])
  const isNarrower = wanted >= 0 && wanted < level
  if (isNarrower && settings.isKept) return yield* unkept
  const policy = isNarrower ? settings.sandboxOf(modes[wanted]?.[0]) : permitted
  const isOther = model !== undefined || effort !== undefined
  return {
    turn: {
      ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
      ...policy,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(place === undefined ? {} : { cwd: place }),
    },
    back: {
      ...(isNarrower ? before : {}),
      ...(place === undefined ? {} : { cwd: own.cwd }),
      ...(model === undefined ? {} : { model: own.model }),
      ...(effort === undefined ? {} : own.effort === undefined ? withoutEffort(own.model) : { effort: own.effort }),
    },
    own: {
      ...(isOther ? { model: own.model } : {}),
      ...(isOther && own.effort !== undefined ? { effort: own.effort as NonNullable<CodexTurnOptions["effort"]> } : {}),
      ...(isNarrower && !("sandboxPolicy" in permitted) ? { sandbox: (modes[level] ?? modes[0])[0] } : {}),
    },
  }
})

/** Codex takes no `null` as an effort elsewhere. */
const withoutEffort = (model: string): JsonObject => ({
  collaborationMode: { mode: "default", settings: { model, reasoning_effort: null, developer_instructions: null } },
})

const tooWide = (asked: string, own = "set by permissions of its configuration") =>
  invalidConfig(
    `\`sandbox\` of one turn must permit no more than the session's, which is ${own}; ${asked} does. Open a session with that sandbox.`,
  )

const unkept = notSupported(
  'With `background: "keep"`, Codex does not support `sandbox` of one turn, because work that goes on would outlive it.',
)

const mute = notSupported(
  "This Codex does not report the settings of a thread, so those of one turn cannot be set back. Update Codex.",
)
