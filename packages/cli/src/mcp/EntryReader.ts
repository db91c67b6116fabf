/**
 * Reads one server of a file as a `ServerEntry`; shared by all formats.
 */
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Client } from "../doctor/Advice.ts"
import { about, type Finding } from "../doctor/Finding.ts"
import * as ReportSecrets from "../doctor/ReportSecrets.ts"
import * as ShellWords from "../doctor/ShellWords.ts"
import * as Expansion from "./Expansion.ts"
import type { Place, ServerEntry, Target } from "./ServerEntry.ts"

/** How a server is reached. */
export type Reach = Pick<ServerEntry, "transport" | "shown" | "target" | "secrets" | "findings">

export const Texts = Schema.Record(Schema.String, Schema.String)

/** Members that all clients share. */
export const fields = {
  command: Schema.optionalKey(Schema.String),
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  cwd: Schema.optionalKey(Schema.String),
  env: Schema.optionalKey(Texts),
  url: Schema.optionalKey(Schema.String),
}

/** Validates the content of a file, or fails with one sentence. */
export const content = <File>(schema: Schema.ConstraintDecoder<File>, given: unknown): Result.Result<File, string> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema)(given),
    (error) => `In the file, ${SchemaProblem.describe(error)}.`,
  )

/** One client's form of an entry. */
export interface EntryForm<Entry> extends Client {
  readonly schema: Schema.ConstraintDecoder<Entry>
  /** The fix of an invalid entry. */
  readonly whenInvalid: string
  /** Whether the file enables the server. */
  readonly isEnabled: (entry: Entry, name: string) => boolean
  /** Reads how the server is reached. */
  readonly read: (entry: Entry, name: string, place: Place) => Reach & Pick<ServerEntry, "timeout">
}

/** @param within the path of the entry's parent in its file */
export const read = <Entry>(
  form: EntryForm<Entry>,
  within: ReadonlyArray<string>,
  name: string,
  value: unknown,
  place: Place,
): ServerEntry => {
  const decoded = Schema.decodeUnknownResult(form.schema)(value)
  if (Result.isFailure(decoded)) return broken(form, within, name, decoded.failure, place)
  const entry = decoded.success
  const path = [...within, name].join(".")
  const reach = { name, file: place.file, path, client: form, isEnabled: true, ...form.read(entry, name, place) }
  if (form.isEnabled(entry, name)) return reach
  return {
    ...reach,
    isEnabled: false,
    findings: [about(name)("entry-disabled")],
  }
}

/** An invalid entry. */
export const broken = <Entry>(
  form: EntryForm<Entry>,
  within: ReadonlyArray<string>,
  name: string,
  failure: Schema.SchemaError,
  { file }: Place,
): ServerEntry => {
  const path = [...within, name]
  const finding = about(name)("entry-invalid", `${SchemaProblem.describe(failure, path)}.`, form.whenInvalid)
  return { name, file, path: path.join("."), client: form, isEnabled: true, ...unreachable("?", [finding]) }
}

/** An entry without a target to show. */
export const unreachable = (transport: string, findings: ReadonlyArray<Finding>): Reach => ({
  transport,
  shown: "?",
  secrets: [],
  findings,
})

/** A process of a file. `passed`: names of host variables that it receives */
export interface Process {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly passed?: ReadonlyArray<string>
}

/** @param refused findings for which its client does not start it */
export const stdio = (
  name: string,
  { args = [], command, cwd, env = {}, passed = [] }: Process,
  place: Place,
  expansion: Expansion.Expansion,
  refused: ReadonlyArray<Finding> = [],
): Reach => {
  const program = expansion.text(command)
  const words = expansion.texts(args)
  const values = expansion.record(env)
  const folder = expansion.text(cwd ?? place.cwd)
  const expanded = [program, words, values, folder]
  const { secrets, shown } = ReportSecrets.ofWords([command, ...args])
  const unset = expanded.flatMap((one) => one.unset)
  return reached({
    transport: "stdio",
    shown: ShellWords.line(shown),
    secrets: [
      ...ReportSecrets.ofVariables(values.value),
      ...secrets.filter((value) => !value.startsWith("${")),
      ...ReportSecrets.ofWords([program.value, ...words.value]).secrets,
      ...expanded.flatMap(({ used }) => used),
      ...passed.flatMap((variable) => Expansion.variable(place.env, variable) ?? []),
    ],
    findings: [...refused, ...expansion.findings(name, unset)],
    target: {
      transport: "stdio",
      command: program.value,
      args: words.value,
      cwd: folder.value,
      env: values.value,
      passed,
    },
  })
}

/** A URL of a file. `transport`: the file's name for it */
export interface Address {
  readonly transport: string
  readonly url: string
  readonly headers: Expansion.Expanded<Readonly<Record<string, string>>>
}

/**
 * @param refused findings for which it is not probed
 * @param remarks findings that do not prevent a probe
 */
export const http = (
  name: string,
  { headers, transport, url }: Address,
  expansion: Expansion.Expansion,
  refused: ReadonlyArray<Finding>,
  remarks: ReadonlyArray<Finding> = [],
): Reach => {
  const address = expansion.text(url)
  const isUrl = URL.canParse(address.value) && /^https?:$/.test(new URL(address.value).protocol)
  const isWrong = !isUrl && refused.length === 0 && address.unset.length === 0
  const { findings, ...rest } = reached({
    transport,
    shown: ReportSecrets.ofUrl(url).shown,
    secrets: [
      ...ReportSecrets.ofHeaders(headers.value),
      ...ReportSecrets.ofUrl(address.value).secrets,
      ...address.used,
      ...headers.used,
    ].filter((secret) => secret !== ""),
    findings: [
      ...refused,
      ...expansion.findings(name, [...address.unset, ...headers.unset]),
      ...(isWrong
        ? [about(name)("entry-invalid", "Its `url` is not an http or https URL.", "Correct the `url`.")]
        : []),
    ],
    target: {
      transport: transport === "sse" ? "sse" : "streamable-http",
      url: address.value,
      headers: headers.value,
    },
  })
  return { ...rest, findings: [...findings, ...remarks] }
}

/** An entry with findings is not probed. */
const reached = ({ target, ...reach }: Reach & { readonly target: Target }): Reach =>
  reach.findings.length > 0 ? reach : { ...reach, target }
