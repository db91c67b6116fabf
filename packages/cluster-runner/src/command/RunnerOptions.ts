/**
 * The options of `zain-runner`, and what a command line means.
 */
import type { Address } from "@zain/cluster-client/ClusterEngine"
import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as Duration from "effect/Duration"
import { formatUrlHostString } from "effect/net/NetAddress"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The variable with the URL of the database, which no option takes: other users of the machine can read arguments. */
export const databaseUrl = "ZAIN_DATABASE_URL"

const { flag, many, one, oneOr } = OptionTable

const addressIn = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/

/**
 * Writes an address.
 *
 * @param address the host and the port
 */
export const written = ({ host, port }: Address): string => `${formatUrlHostString(host)}:${port}`

const address: OptionValue.Reader<Address> = (name, given) => {
  const [, host = "", port = "0"] = addressIn.exec(given) ?? []
  return Number(port) < 1 || Number(port) > 65_535
    ? OptionValue.refuse(name, "HOST:PORT, such as 10.0.0.7:8930", given)
    : Result.succeed({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}

const group: OptionValue.Reader<string> = (name, given) =>
  /^\w[\w-]{0,31}$/.test(given)
    ? Result.succeed(given)
    : OptionValue.refuse(name, "1 to 32 letters, digits, _ and -, such as gpu", given)

/** The options of a runner. */
export const serving = {
  listen: oneOr(
    "HOST:PORT",
    address,
    { host: "127.0.0.1", port: 8930 },
    "the address to listen on (default: 127.0.0.1:8930);\nany but loopback requires --tls-cert, --tls-key and --tls-ca",
  ),
  advertise: one(
    "HOST:PORT",
    address,
    "the address by which other nodes reach this runner\n(default: that of --listen)",
  ),
  group: many("NAME", group, "a group of runners to serve; repeatable (default: default)"),
  agents: one("FILE", OptionValue.text, "the agents and workspaces of this runner, as TOML"),
  "tls-cert": one("FILE", OptionValue.text, "the certificate of this runner, as PEM, for the host of --advertise"),
  "tls-key": one("FILE", OptionValue.text, "its private key; other users must not read the file"),
  "tls-ca": one("FILE", OptionValue.text, "the cluster's authority: nodes with its certificates may run agents"),
  "max-sessions": oneOr("COUNT", OptionValue.wholeNumber(1, 1_000_000), 64, "open sessions at once (default: 64)"),
  idle: oneOr(
    "TIME",
    OptionValue.duration,
    Duration.minutes(5),
    "how long an unused session keeps its agent (default: 5m);\nits next turn starts the agent anew",
  ),
  drain: oneOr(
    "TIME",
    OptionValue.duration,
    Duration.minutes(1),
    "how long turns may go on after SIGTERM (default: 1m)",
  ),
  locks: oneOr(
    "leases|advisory",
    OptionValue.oneOf(["leases", "advisory"]),
    "leases",
    "leases (default) outlive a restart of the database; advisory locks\nfree a killed runner's sessions sooner. The same on all runners",
  ),
  "status-port": one(
    "PORT",
    OptionValue.wholeNumber(1, 65_535),
    "serves the cluster's status on 127.0.0.1: GET / and GET /status",
  ),
}

/** The options of `status`. */
export const reporting = { json: flag("prints the status as JSON") }

/** Run a runner. */
export interface Serve {
  readonly _tag: "Serve"
  readonly database: Redacted.Redacted
  /** The address by which other nodes reach the runner. */
  readonly advertise: Address
  readonly groups: ReadonlyArray<string>
  /** The path of the file of agents. */
  readonly agents: string
  /** The paths of the certificates; `undefined` on loopback only. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string } | undefined
  /** The other options. */
  readonly values: OptionTable.Values<typeof serving>
}

/** Print the status of the cluster. */
export interface Status {
  readonly _tag: "Status"
  readonly database: Redacted.Redacted
  readonly json: boolean
}

/**
 * Parses the arguments.
 *
 * @param args the arguments, without the program
 * @param env the environment
 * @returns what to do, or one sentence that describes the error
 */
export const parse = (
  args: ReadonlyArray<string>,
  env: OptionTable.Environment,
): Result.Result<Serve | Status | "help" | "version", string> =>
  Result.gen(function* () {
    if (args[0] === "status") {
      const parsed = yield* OptionTable.parse(args.slice(1), reporting, env)
      if (typeof parsed === "string") return parsed
      return { _tag: "Status" as const, database: yield* databaseOf(env, parsed.positionals), ...parsed.values }
    }
    const parsed = yield* OptionTable.parse(args, serving, env)
    return typeof parsed === "string" ? parsed : yield* serve(parsed.values, yield* databaseOf(env, parsed.positionals))
  })

const databaseOf = (
  env: OptionTable.Environment,
  [extra]: ReadonlyArray<string>,
): Result.Result<Redacted.Redacted, string> => {
  if (extra !== undefined) return Result.fail(`Unexpected argument ${JSON.stringify(extra)}.`)
  const url = env[databaseUrl]?.trim() ?? ""
  const example = "such as postgres://zain@db.internal/zain"
  if (url === "") return Result.fail(`${databaseUrl} is not set. Set it to the database, ${example}.`)
  // The value is not quoted, since it may contain a password.
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)
    ? Result.succeed(Redacted.make(url, { label: databaseUrl }))
    : Result.fail(`${databaseUrl} is not a URL of PostgreSQL, ${example}.`)
}

/** Whether only this machine can reach an address. */
const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

const serve = (
  values: OptionTable.Values<typeof serving>,
  database: Redacted.Redacted,
): Result.Result<Serve, string> => {
  const { agents, group, listen, locks, "tls-ca": ca, "tls-cert": cert, "tls-key": key } = values
  const advertise = values.advertise ?? listen
  const tls = cert !== undefined && key !== undefined && ca !== undefined ? { cert, key, ca } : undefined
  if (agents === undefined) return Result.fail("--agents FILE is missing: the agents that this runner may start.")
  if (tls === undefined && (cert ?? key ?? ca) !== undefined) {
    return Result.fail("--tls-cert, --tls-key and --tls-ca belong together: pass all three.")
  }
  if (tls === undefined && !isLoopback(listen.host)) {
    return Result.fail(
      `--listen ${written(listen)} is open to other machines, which could run agents: pass --tls-cert, --tls-key and --tls-ca, or listen on 127.0.0.1.`,
    )
  }
  if (advertise.host === "0.0.0.0" || advertise.host === "::") {
    return Result.fail(
      `${advertise.host} is no address that other nodes can reach: pass --advertise HOST:PORT with the name of this machine.`,
    )
  }
  // The engine numbers advisory locks by the place of their group in a list that each runner has of its own.
  if (locks === "advisory" && group.length > 0) {
    return Result.fail("--locks advisory is for clusters without groups: omit --group, or use leases.")
  }
  const groups = group.length === 0 ? ["default"] : [...new Set(group)]
  return Result.succeed({ _tag: "Serve", database, advertise, groups, agents, tls, values })
}
