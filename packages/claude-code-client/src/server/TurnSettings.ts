/**
 * The options of one turn that a running process takes. It keeps them, so they are set back when the turn ends.
 *
 * @see Claude Code 2.1.332: measured
 */
import { AgentError, delivered, invalidConfig, notSupported } from "@zain/agent-server/AgentError"
import { type JsonObject, textOf } from "@zain/agent-server/JsonMember"
import { clip, maxEchoLength } from "@zain/command/Clip"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ClaudeCodeStartOptions, ClaudeCodeTurnOptions } from "../ClaudeCodeOptions.ts"

/** What a process has now, and how it is changed. */
export interface SettingsPlace {
  /** The options of its thread. */
  readonly options: ClaudeCodeStartOptions
  /** The session's model and permission mode, as the process has named them when it started. */
  readonly held: { readonly model: string | undefined; readonly mode: string | undefined }
  /** Stores options of the thread that its record does not have: a resume would have those of its last turn. */
  readonly remember: (own: ClaudeCodeStartOptions) => Effect.Effect<void, AgentError>
  /** Sends a request, and succeeds with its answer. Fails when the process ends. */
  readonly ask: (request: object) => Effect.Effect<JsonObject, AgentError>
  /** Whether the process can run another turn. */
  readonly isUsable: () => boolean
  /** The process must not run another turn. */
  readonly giveUp: Effect.Effect<void>
}

/** Time limit of all requests; a model whose name is not known is asked for one token. */
const limit = Duration.seconds(10)

interface Change {
  readonly name: keyof ClaudeCodeTurnOptions
  readonly set: object
  readonly back: object
  /** What the record must have: Claude Code stores the model and the mode `plan` with the conversation. */
  readonly own: ClaudeCodeStartOptions
}

/**
 * Runs a turn with its options. Fails with `invalid-config`, before the turn, for a permission mode that permits more than the
 * thread's, and for an option that Claude Code does not accept.
 */
export const use = <A>(
  place: SettingsPlace,
  options: ClaudeCodeTurnOptions,
  turn: Effect.Effect<A, AgentError>,
): Effect.Effect<A, AgentError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const changes = yield* changesOf(place, options)
      const own = Object.assign({}, ...changes.map((change) => change.own))
      const isMissing = Object.keys(own).some((name) => !(name in place.options))
      // Not interrupted: what is still on its way would come after what sets it back.
      return yield* apply(place, changes).pipe(
        Effect.andThen(isMissing ? place.remember(own) : Effect.void),
        Effect.andThen(restore(turn)),
        Effect.ensuring(setBack(place, changes)),
      )
    }),
  )

const changesOf = Effect.fnUntraced(function* (
  { held, options: own }: SettingsPlace,
  { effort, model, permissionMode: mode }: ClaudeCodeTurnOptions,
): Effect.fn.Return<ReadonlyArray<Change>, AgentError> {
  const changes: Array<Change> = []
  if (model !== undefined) {
    if (held.model === undefined) return yield* unable("model")
    const back = { subtype: "set_model", model: held.model }
    changes.push({ name: "model", set: { ...back, model }, back, own: { model: held.model } })
  }
  if (effort !== undefined) {
    const level = (effortLevel: unknown) => ({ subtype: "apply_flag_settings", settings: { effortLevel } })
    const before = own.effort ?? own.settings?.["effortLevel"] ?? null
    changes.push({ name: "effort", set: level(effort), back: level(before), own: {} })
  }
  if (mode !== undefined) {
    if (!isKnown(held.mode)) return yield* unable("permissionMode")
    if (own.background === "keep") return yield* unkept
    if (mode === "dontAsk" && mode !== held.mode) return yield* ofSession
    if (mode !== held.mode && !narrower[held.mode].includes(mode)) return yield* tooWide(mode, held.mode)
    const back = { subtype: "set_permission_mode", mode: held.mode }
    changes.push({ name: "permissionMode", set: { ...back, mode }, back, own: { permissionMode: held.mode } })
  }
  return changes
})

type Mode = NonNullable<ClaudeCodeStartOptions["permissionMode"]>

/** The modes that permit less than another one. */
const narrower: Readonly<Record<Mode, ReadonlyArray<Mode>>> = {
  plan: [],
  dontAsk: [],
  default: ["plan"],
  acceptEdits: ["default", "plan"],
}

const isKnown = (mode: string | undefined): mode is Mode => mode !== undefined && Object.hasOwn(narrower, mode)

const all = (place: SettingsPlace, requests: ReadonlyArray<object>) =>
  Effect.timeoutOption(Effect.forEach(requests, place.ask, { concurrency: "unbounded" }), limit)

const apply = Effect.fnUntraced(function* (place: SettingsPlace, changes: ReadonlyArray<Change>) {
  const answers = yield* Effect.mapError(
    all(
      place,
      changes.map(({ set }) => set),
    ),
    (error) => delivered(error, "not-sent"),
  )
  if (Option.isNone(answers)) return yield* Effect.andThen(place.giveUp, slow)
  for (const [at, { name }] of changes.entries()) {
    const error = textOf(answers.value[at] ?? {}, "error")
    if (error !== undefined) {
      return yield* invalidConfig(`Claude Code refused \`${name}\` of one turn: ${clip(error, maxEchoLength)}`)
    }
  }
})

const setBack = (place: SettingsPlace, changes: ReadonlyArray<Change>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (changes.length === 0 || !place.isUsable()) return Effect.void
    return all(
      place,
      changes.map(({ back }) => back),
    ).pipe(
      Effect.map((answers) => Option.isSome(answers) && answers.value.every((one) => one["error"] === undefined)),
      Effect.orElseSucceed(() => false),
      Effect.flatMap((isBack) => (isBack ? Effect.void : place.giveUp)),
    )
  })

const unable = (name: string) =>
  notSupported(
    `The session's own \`${name}\` cannot be set back, so one turn cannot have another. Open a session with it, or update Claude Code.`,
  )

const unkept = notSupported(
  'With `background: "keep"`, Claude Code does not support `permissionMode` of one turn, because work that goes on would outlive it.',
)

const ofSession = notSupported(
  '`permissionMode: "dontAsk"` is of a session, not of one turn: Claude Code needs further settings for it. Open a session with it.',
)

const tooWide = (asked: string, own: string) =>
  invalidConfig(
    `\`permissionMode\` of one turn must permit no more than the session's, which is ${own}; ${asked} does. Open a session with that mode.`,
  )

const slow = new AgentError({
  reason: "agent-refused",
  delivery: "not-sent",
  message: `Claude Code did not take the options of one turn within ${Duration.format(limit)}. Check that it reaches its model.`,
})
