/**
 * `zain-editor-mcp list`: the editors that answer on this machine.
 */

import type { Environment } from "@zain/command/OptionTable"
import * as Probe from "@zain/editor-link/infrastructure/link/Probe"
import { address } from "@zain/editor-link/infrastructure/link/Target"
import type { ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as JsonText from "@zain/process/JsonText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** How long one port may take, and how many are tried at once. */
const within = Duration.seconds(3)
const atOnce = 8

interface Found {
  readonly profile: string
  readonly editor: string
  readonly project: string
}

/** @returns exit code 0 if there is an editor, else 1 */
export const run = Effect.fnUntraced(function* (
  commands: ReadonlyArray<ProfileCommand>,
  isJson: boolean,
  env: Environment,
) {
  const places = yield* Effect.forEach(commands, (command) =>
    Effect.map(command.places(env), (places) => places.map((place) => ({ command, place }))),
  )
  const tried = yield* Effect.forEach(
    places.flat(),
    Effect.fnUntraced(function* ({ command, place }) {
      const profile = yield* Effect.promise(() => command.profile())
      const steps = yield* Probe.run(profile, place, undefined, within)
      if (!steps.some(({ isOk, name }) => name === "handshake" && isOk)) return []
      const project = steps.find(({ name }) => name === "project")?.what ?? ""
      return [{ profile: command.name, editor: address(place), project } satisfies Found]
    }),
    { concurrency: atOnce },
  )
  const found = tried.flat()
  if (isJson) process.stdout.write(`${JsonText.write({ editors: found })}\n`)
  else if (found.length === 0) {
    const looked = commands.map(({ name, usualPlaces }) => `${name} ${usualPlaces}`).join(", ")
    process.stdout.write(
      `No editor answers (looked for ${looked}). Start one, or name its port: zain-editor-mcp check PROFILE --editor HOST:PORT.\n`,
    )
  } else {
    for (const { editor, profile, project } of found)
      process.stdout.write(`${editor}  ${profile.padEnd(12)}${project}\n`)
  }
  return found.length > 0 ? 0 : 1
})
