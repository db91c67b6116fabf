/**
 * Commands in words as steps: by a template, else by the client's model, else a refusal that a model can act on.
 */

import type { Sample, SampleFailure } from "@zain/editor-link/domain/Sample"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BridgeFailure } from "./Bridge.ts"
import { type Language, type Template, templates } from "./CommandTemplates.ts"
import * as Words from "./CommandWords.ts"
import * as ErrorCodes from "./ErrorCodes.ts"
import * as StepReader from "./StepReader.ts"
import * as Steps from "./Steps.ts"

export interface Command {
  readonly text: string
  /** The name of the text's argument, for paths of failures. */
  readonly argument: "command" | "feedback"
  /** The language of the templates. Default: both. */
  readonly language?: Language | undefined
  /** The names of the objects for a command that names none. */
  readonly selection: Effect.Effect<ReadonlyArray<string>, BridgeFailure>
  /** Whether the prompt of the model names the selection. */
  readonly hasContext: boolean
  /** How long the client's model may take, in milliseconds. Default: as long as the call. */
  readonly timeoutMs?: number | undefined
}

/** `template`: the name of the matched template, or `sampling`. */
export interface Plan {
  readonly template: string
  readonly steps: ReadonlyArray<Steps.Step>
}

/** The longest command that templates are tried on, in code units. */
const maxTemplateLength = 300

/** The longest command, in code units. */
const maxCommandLength = 20_000

/**
 * @param sample asks the client's model
 * @returns steps that fit their schema
 */
export const plan = Effect.fnUntraced(function* (
  command: Command,
  sample: Sample | undefined,
): Effect.fn.Return<Plan, BridgeFailure> {
  const { length } = command.text
  if (command.text.trim() === "" || length > maxCommandLength) {
    const message = `\`${command.argument}\` has ${length} characters: expected 1 to ${maxCommandLength}, not only spaces.`
    return yield* Effect.fail({ code: "INVALID_INPUT", message, path: [command.argument] })
  }
  const made = yield* byTemplate(command)
  if (made === undefined) return yield* sample === undefined ? Effect.fail(refusal(command)) : bySample(command, sample)
  return { template: made.template, steps: yield* Effect.fromResult(StepReader.read(made.steps)) }
})

const byTemplate = Effect.fnUntraced(function* (command: Command): Effect.fn.Return<Plan | undefined, BridgeFailure> {
  const match = matching(command)
  if (match === undefined) return undefined
  const { found, template } = match
  const named = template.isOnObjects ? Words.objects(found["object"]) : []
  if (named === undefined) return undefined
  const targets = template.isOnObjects && named.length === 0 ? yield* command.selection : named
  if (template.isOnObjects && targets.length === 0) {
    const message = "The command names no object, and nothing is selected."
    return yield* Effect.fail({ code: "OBJECT_NOT_FOUND", message, path: [command.argument] })
  }
  return { template: template.name, steps: template.steps(found, targets) }
})

const matching = ({ language, text }: Command) => {
  const words = Words.plain(text)
  if (words.length > maxTemplateLength) return undefined
  for (const template of templates) {
    for (const [spoken, patterns] of Object.entries(template.patterns)) {
      if (language !== undefined && language !== spoken) continue
      for (const pattern of patterns) {
        const found = pattern.exec(words)
        if (found !== null) return { template, found: found.groups ?? {} }
      }
    }
  }
  return undefined
}

const system = `Write the steps that carry out a command in Blender, as a JSON array and nothing else. Z is up; the front looks along +Y. The array fits this JSON Schema:\n${JSON.stringify(Steps.schema)}`

/** A model gets its mistake back once. */
const bySample = Effect.fnUntraced(function* (command: Command, sample: Sample): Effect.fn.Return<Plan, BridgeFailure> {
  const selected = command.hasContext ? yield* command.selection : []
  const context = command.hasContext
    ? `Selected objects, which the command is about: ${JSON.stringify(selected)}\n\n`
    : ""
  const ask = (prompt: string) =>
    Effect.mapBoth(sample({ system, prompt, timeoutMs: command.timeoutMs }), {
      onFailure: (failed) => unsampled(failed, command),
      onSuccess: stepsIn,
    })
  const prompt = `${context}Command: ${command.text}`
  const first = yield* ask(prompt)
  if (Result.isSuccess(first)) return { template: "sampling", steps: first.success }
  const second = yield* ask(`${prompt}\n\nYour last answer was wrong: ${first.failure.message}`)
  if (Result.isSuccess(second)) return { template: "sampling", steps: second.success }
  const { message, path = [] } = second.failure
  return yield* Effect.fail({
    code: "COMMAND_EXECUTION_FAILED",
    message: "The client's model wrote no valid steps for this command, twice.",
    details: message,
    path,
    suggestions: [likeIt(command), ...ErrorCodes.table.COMMAND_EXECUTION_FAILED.suggestions],
  })
})

/** The steps in a model's answer, which may stand in a block of code or in a member `steps`. */
const stepsIn = (answer: string): Result.Result<ReadonlyArray<Steps.Step>, BridgeFailure> => {
  try {
    const value: unknown = JSON.parse(blockIn(answer))
    return StepReader.read(isRecord(value) && "steps" in value ? value["steps"] : value)
  } catch {
    return Result.fail({ code: "VALIDATION_ERROR", message: "It was not JSON." })
  }
}

/** The first block of code in a text, or all of it. A regular expression would take time quadratic in hostile text. */
const blockIn = (text: string): string => {
  const [, block, rest] = text.split("```", 3)
  return block === undefined || rest === undefined ? text : block.replace(/^json/, "")
}

const refusal = (command: Command): BridgeFailure => ({
  code: "OPERATION_UNSUPPORTED",
  message: "No template matches this command, and the client offers no sampling.",
  path: [command.argument],
  suggestions: advice(command),
})

const unsampledCodes = {
  refused: "PERMISSION_DENIED",
  timeout: "OPERATION_TIMEOUT",
  failed: "COMMAND_EXECUTION_FAILED",
  malformed: "COMMAND_EXECUTION_FAILED",
  "too-large": "COMMAND_EXECUTION_FAILED",
} as const satisfies Readonly<Record<SampleFailure["reason"], ErrorCodes.ErrorCode>>

const unsampled = ({ message, reason }: SampleFailure, command: Command): BridgeFailure => ({
  code: unsampledCodes[reason],
  message: `No template matches this command. ${message}`,
  path: [command.argument],
  suggestions: [
    ...(reason === "timeout" ? ["Raise the limit: `timeoutMs`, or --timeout of the server."] : []),
    ...advice(command),
  ],
})

/** The remedies for a command without steps. */
const advice = (command: Command): ReadonlyArray<string> => [
  likeIt(command),
  `Write the steps yourself and give them to command.apply. Their JSON Schema: ${JSON.stringify(Steps.schema)}`,
]

const likeIt = ({ text }: Command): string => {
  const { examples, name } = nearest(text)
  return `The nearest template is \`${name}\`: "${examples.en}", "${examples.ja}".`
}

/** The template whose example is most similar to a command. */
const nearest = (text: string): Template => {
  const wanted = pairs(Words.plain(text).slice(0, maxTemplateLength))
  const score = (template: Template) =>
    Math.max(
      ...Object.values(template.examples).map((example) => {
        const own = pairs(example)
        return [...own].filter((pair) => wanted.has(pair)).length / (own.size + wanted.size)
      }),
    )
  return templates.reduce((best, one) => (score(one) > score(best) ? one : best))
}

const pairs = (text: string): ReadonlySet<string> => {
  const letters = [...text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")]
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`))
}
