#!/usr/bin/env node
/**
 * The command `loopsmith`, from its arguments to its exit code.
 */
import { agents } from "@zain/agent-list/Agents"
import { clean } from "@zain/command/PlainText"
import * as Program from "@zain/command/Program"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CommandLine from "./LoopCommandLine.ts"
import * as LoopHelp from "./LoopHelp.ts"

const name = "loopsmith"

/** Each command's modules are loaded on use, so that a server starts fast. */
const work = (line: CommandLine.Improve | CommandLine.Serve) =>
  line._tag === "Serve"
    ? Effect.flatMap(
        Effect.promise(() => import("./ServeJudge.ts")),
        (Serve) => Serve.run(line, ownVersion, process.env),
      )
    : Effect.flatMap(
        Effect.promise(() => import("./Improve.ts")),
        (Improve) => Improve.run(line, process.env),
      )

const run = () => {
  Program.ignoreLostReaders()
  const parsed = CommandLine.parse(process.argv.slice(2), process.env, agents)
  if (Result.isFailure(parsed)) {
    const { message, topic } = parsed.failure
    const sentence = message.endsWith(".") ? message : `${message}.`
    return Program.refuse(name, `${clean(sentence)} See ${[name, topic, "--help"].filter(Boolean).join(" ")}.`, 2)
  }
  const line = parsed.success
  if (line._tag === "Help") return Program.exit(0, LoopHelp.text(line.topic, agents))
  if (line._tag === "Version") return Program.exit(0, `${ownVersion}\n`)
  Program.run(
    name,
    Effect.mapError(work(line), (error) => new Error(clean(error.message), { cause: error })),
  )
}

run()
