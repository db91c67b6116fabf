/**
 * The contract that every client of the port keeps, and what it takes to prove it. `VitestRunner` has a path of its own,
 * `@zain/contract-tests/VitestRunner`, so that nothing here needs vitest.
 */
export * as ContractCase from "./ContractCase.ts"
export * as ContractScript from "./ContractScript.ts"
export * as ContractSubject from "./ContractSubject.ts"
export * as FakeAgent from "./FakeAgent.ts"
export * as FakeDialect from "./FakeDialect.ts"
export * as FakePeer from "./FakePeer.ts"
export * as McpClientContractSuite from "./McpClientContractSuite.ts"
export * as McpClientFaultSuite from "./McpClientFaultSuite.ts"
export * as PeerObservation from "./PeerObservation.ts"
export * as Requirements from "./Requirements.ts"
