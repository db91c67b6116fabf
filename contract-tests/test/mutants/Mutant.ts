/** A client that is broken in one way, made from a parrot that is sound. */
import { PeerObservation } from "@zain/contract-tests"
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import { McpSessionRuntime } from "@zain/core"
import type { AgentConnection, Driver } from "@zain/core/AgentConnection"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Parrot from "../third-party/Parrot.ts"

/** How a client is made. */
export type Make = Effect.Effect<McpClientAdapter, never, Scope.Scope>

/**
 * - `caughtBy`: the case that must fail
 * - `driver`, `adapter`, `make`: what is broken, and how; the rest stays sound
 */
export interface Mutant {
  readonly name: string
  readonly caughtBy: string
  readonly driver?: (driver: Driver, record: PeerObservation.PeerRecord, nest: Parrot.Nest) => Driver
  readonly adapter?: (adapter: McpClientAdapter) => McpClientAdapter
  readonly make?: (make: Make, driver: Driver) => Make
}

/** A subject with the flaw of a mutant, or without any. */
export const subjectOf = ({ adapter, driver, make, name }: Omit<Mutant, "caughtBy">): ContractSubject => {
  const record = PeerObservation.make()
  const nest = Parrot.nest(record)
  const broken = () => (driver === undefined ? Parrot.driver(nest) : driver(Parrot.driver(nest), record, nest))
  const made = Effect.suspend(() =>
    Effect.map(McpSessionRuntime.make(broken()), (client) => (adapter === undefined ? client : adapter(client))),
  )
  return {
    name,
    provider: "parrot",
    make: make === undefined ? made : make(made, broken()),
    config: Parrot.config,
    unreachable: Parrot.unreachable,
    silent: Parrot.silent,
    resume: Parrot.resume,
    elsewhere: Parrot.elsewhere,
    peer: record.observation,
  }
}

/** A driver whose connections are changed after they are made. */
export const connections =
  (change: (connection: AgentConnection) => AgentConnection) =>
  (driver: Driver): Driver => ({
    ...driver,
    connect: (config, id) => Effect.map(driver.connect(config, id), change),
  })
