#!/usr/bin/env node
import { clean } from "@zain/command/PlainText"
import * as Program from "@zain/command/Program"
/**
 * The command `zain-editor-mcp`, from its arguments to its exit code.
 */
import { ownVersion } from "@zain/process/OwnVersion"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as CommandLine from "./CommandLine.ts"
import * as Help from "./Help.ts"
import { commands } from "./Profiles.ts"

const name = "zain-editor-mcp"

/** How long an ending may take, whatever an editor does. */
const within = Duration.millis(500)

/** Each is loaded by those who use it: clients start the server over and over. */
const work = (
  line: CommandLine.Serve | CommandLine.Check | CommandLine.List | CommandLine.AddOn,
): Effect.Effect<number, Error, Scope.Scope> => {
  switch (line._tag) {
    case "Serve":
      return Effect.flatMap(
        Effect.promise(() => import("./ServeEditor.ts")),
        ({ run }) => run(line, process.env),
      )
    case "Check":
      return Effect.flatMap(
        Effect.promise(() => import("./Check.ts")),
        ({ run }) => run(line, process.env),
      )
    case "AddOn":
      return Effect.flatMap(
        Effect.promise(() => import("./AddOn.ts")),
        ({ run }) => run(line.file),
      )
    case "List":
      return Effect.flatMap(
        Effect.promise(() => import("./List.ts")),
        ({ run }) => run(commands, line.json, process.env),
      )
  }
}

const run = () => {
  Program.ignoreLostReaders()
  const parsed = CommandLine.parse(process.argv.slice(2), process.env, commands)
  if (Result.isFailure(parsed)) return Program.refuse(name, `${clean(parsed.failure)} See ${name} --help.`, 2)
  const line = parsed.success
  if (line._tag === "Help") return Program.exit(0, Help.text(commands))
  if (line._tag === "Version") return Program.exit(0, `${ownVersion}\n`)
  Program.run(
    name,
    Effect.mapError(work(line), (error) => new Error(clean(error.message), { cause: error })),
    { signals: 0, within },
  )
}

run()
