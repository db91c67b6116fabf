/**
 * How much of a matrix is run. `pnpm test` proves everything once; `pnpm test:rest` tries each pair of agent and transport
 * with every case, which takes minutes of CPU: a real agent is started for each.
 */
import { McpClientContractSuite } from "@zain/contract-tests"

/** Set by `--mode`: see `vitest.config.ts`. */
export const isWhole: boolean = ["rest", "attack"].includes(process.env["ZAIN_TESTS"] ?? "")

/** The cases of the contract over a transport, or a profile, that is not the first of a real agent. */
export const anotherWay = isWhole ? {} : { only: McpClientContractSuite.ofTransport }
