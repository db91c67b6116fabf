#!/usr/bin/env node
/**
 * The command `zain-runner`, from its arguments to its exit code.
 */
import { clean } from "@zain/command/PlainText"
import * as Program from "@zain/command/Program"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RunnerHelp from "./RunnerHelp.ts"
import * as RunnerOptions from "./RunnerOptions.ts"

const name = "zain-runner"

/** How long a drained runner may take to end its agents and leave the cluster. */
const leaving = Duration.seconds(10)

/** Loaded when needed: the help does without the engine. */
const serve = (line: RunnerOptions.Serve) =>
  Effect.flatMap(
    Effect.promise(() => import("./ServeRunner.ts")),
    ({ run }) => run(line, process.env),
  )
const report = (line: RunnerOptions.Status) =>
  Effect.flatMap(
    Effect.promise(() => import("./StatusReport.ts")),
    ({ run }) => run(line),
  )

const run = () => {
  Program.ignoreLostReaders()
  const parsed = RunnerOptions.parse(process.argv.slice(2), process.env)
  if (Result.isFailure(parsed)) return Program.refuse(name, `${clean(parsed.failure)} See ${name} --help.`, 2)
  const line = parsed.success
  if (line === "help") return Program.exit(0, RunnerHelp.text)
  if (line === "version") return Program.exit(0, `${ownVersion}\n`)
  const work = line._tag === "Status" ? report(line) : serve(line)
  const readable = Effect.mapError(work, (error) => new Error(clean(error.message), { cause: error }))
  Program.run(
    name,
    readable,
    line._tag === "Status" ? {} : { signals: 0, within: Duration.sum(line.values.drain, leaving) },
  )
}

run()
