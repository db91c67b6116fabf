/**
 * `zain-editor-mcp check`: each step to an editor, with what to do about the one that fails.
 */
import { styleText } from "node:util"
import type { Environment } from "@zain/command/OptionTable"
import { clean } from "@zain/command/PlainText"
import * as Exposure from "@zain/editor-link/infrastructure/link/Exposure"
import * as Probe from "@zain/editor-link/infrastructure/link/Probe"
import { label } from "@zain/editor-link/infrastructure/link/Target"
import * as JsonText from "@zain/process/JsonText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Check } from "./CommandLine.ts"
import { targetsOf } from "./ServeEditor.ts"

/** How long all steps to one editor may take. */
const within = Duration.seconds(15)

/** The longest text of an editor that is shown, in characters. */
const maxTextLength = 500

const mark = (isOk: boolean) => styleText(isOk ? "green" : "red", isOk ? "✓" : "✗", { stream: process.stdout })

const caution = styleText("yellow", "!", { stream: process.stdout })

/** @returns exit code 0 if every step worked, else 1 */
export const run = Effect.fnUntraced(function* ({ command, editors, values }: Check, env: Environment) {
  const profile = yield* Effect.promise(() => command.profile())
  const targets = yield* targetsOf(command, editors, env)
  const checked = yield* Effect.forEach(
    targets,
    Effect.fnUntraced(function* (target) {
      const steps = yield* Probe.run(profile, target, values.project, within)
      const isThere = steps.every(({ isOk, name }) => isOk || name === "project" || name === "tools")
      return {
        editor: label(target),
        steps: steps.map((step) => ({
          ...step,
          millis: Math.round(step.millis),
          what: clean(step.what).slice(0, maxTextLength),
        })),
        warnings: isThere ? yield* Exposure.warnings(profile, target) : [],
      }
    }),
  )
  const { madeFor, tried = "with a fake editor, not tried in a real one" } = profile
  const isOk = checked.every(({ steps }) => steps.every((step) => step.isOk))
  if (values.json)
    process.stdout.write(`${JsonText.write({ profile: profile.name, madeFor, isOk, editors: checked })}\n`)
  else {
    for (const { editor, steps, warnings } of checked) {
      process.stdout.write(`${editor}\n`)
      for (const { isOk, millis, name, what } of steps) {
        process.stdout.write(`  ${mark(isOk)} ${name.padEnd(10)}${what} (${millis} ms)\n`)
      }
      for (const warning of warnings) process.stdout.write(`  ${caution} ${"warning".padEnd(10)}${warning}\n`)
    }
    process.stdout.write(`This profile was made for ${madeFor}. It was tested ${tried}.\n`)
  }
  return isOk ? 0 : 1
})
