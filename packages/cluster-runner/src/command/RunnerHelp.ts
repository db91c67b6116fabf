/**
 * What `zain-runner --help` prints.
 */
import { agents } from "@zain/agent-list/Agents"
import * as OptionTable from "@zain/command/OptionTable"
import * as RunnerOptions from "./RunnerOptions.ts"

/** The help. */
export const text = `Runs coding agents on this machine for the callers of a cluster.

Usage: zain-runner --agents FILE [options]
       zain-runner status [--json]

Options:
${OptionTable.help(RunnerOptions.serving)}
${OptionTable.standardHelp}

Options of status, which prints the runners, shards, sessions and turns under way:
${OptionTable.help(RunnerOptions.reporting)}

Environment:
  ${RunnerOptions.databaseUrl}        the PostgreSQL database of the cluster, as a URL; required

At SIGTERM or SIGINT a runner takes no more turns, waits for those under way, and hands its sessions over. A second signal
ends it at once. Agents end in either case.

Exit codes: 0 ended or drained, 1 failed, 2 wrong usage; 130 or 143 after a second signal.
With status: 0 every runner is healthy, 1 one is not, none is there, or the database did not answer.

Examples:
  zain-runner --agents agents.toml
  zain-runner --agents agents.toml --listen 0.0.0.0:8930 --advertise node7.internal:8930 --group gpu \\
    --tls-cert node7.pem --tls-key node7.key --tls-ca cluster.pem --drain 10m
  zain-runner status

A file of agents, of which there are ${agents.map(({ name }) => name).join(", ")}:
  [agents.${agents[0]?.name}]
  env = ["MODEL_KEY"]
  workspaces = { site = "/srv/site" }
`
