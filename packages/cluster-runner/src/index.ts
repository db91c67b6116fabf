/**
 * The runners of a cluster.
 */
export * as AgentRunner from "./AgentRunner.ts"
export type { AgentTable, RunnerAgent } from "./AgentTable.ts"
