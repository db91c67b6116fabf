/**
 * The official conformance runner, for the client scenarios that are ours to pass.
 */
import * as ConformanceRunner from "./ConformanceRunner.ts"

/** How many checks each scenario makes. */
export const scenarios = {
  initialize: 1,
  tools_call: 1,
  "sse-retry": 3,
  "elicitation-sep1034-client-defaults": 5,
} as const
export type Scenario = keyof typeof scenarios

/** The client, as the runner starts it from the root of the repository. */
export const client = "node --conditions=zain-source e2e/src/ConformanceClient.ts"

/** Runs one scenario. */
export const check = (scenario: Scenario, command: string = client) =>
  ConformanceRunner.judge(scenario, scenarios[scenario], "client", "--command", command)
