/** Clients that are broken in one way, made from the sound parrot. */
import { PeerObservation } from "@zain/contract-tests"
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import { McpSessionRuntime } from "@zain/core"
import type { AgentConnection, Driver, Turn } from "@zain/core/AgentConnection"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import { Effect, type Scope } from "effect"
import * as Parrot from "../third-party/Parrot.ts"

export type Make = Effect.Effect<McpClientAdapter, never, Scope.Scope>

/**
 * - `caughtBy`: the case that must fail
 * - `driver`, `adapter`, `make`: the flaw; the rest stays sound
 */
export interface Mutant {
  readonly name: string
  readonly caughtBy: string
  readonly driver?: (driver: Driver, nest: Parrot.Nest) => Driver
  readonly adapter?: (adapter: McpClientAdapter) => McpClientAdapter
  readonly make?: (make: Make, driver: Driver, nest: Parrot.Nest) => Make
}

/** Makes a subject with the flaw of a mutant, or without one. */
export const subjectOf = ({ adapter, driver, make, name }: Omit<Mutant, "caughtBy">): ContractSubject => {
  const record = PeerObservation.make()
  const nest = Parrot.nest(record)
  const broken = () => (driver === undefined ? Parrot.driver(nest) : driver(Parrot.driver(nest), nest))
  const made = Effect.suspend(() =>
    Effect.map(McpSessionRuntime.make(broken()), (client) => (adapter === undefined ? client : adapter(client))),
  )
  return {
    name,
    provider: "parrot",
    make: make === undefined ? made : make(made, broken(), nest),
    config: Parrot.config,
    unreachable: Parrot.unreachable,
    silent: Parrot.silent,
    resume: Parrot.resume,
    elsewhere: Parrot.elsewhere,
    peer: record.observation,
    turn: Parrot.turn,
  }
}

export const mutant = (name: string, caughtBy: string, flaw: Omit<Mutant, "caughtBy" | "name">): Mutant => ({
  name,
  caughtBy,
  ...flaw,
})

/** Replaces how a driver connects. */
export const connecting =
  (
    change: (
      connect: Driver["connect"],
      config: Parameters<Driver["connect"]>[0],
      id: Parameters<Driver["connect"]>[1],
      nest: Parrot.Nest,
    ) => ReturnType<Driver["connect"]>,
  ) =>
  (driver: Driver, nest: Parrot.Nest): Driver => ({
    ...driver,
    connect: (config, id) => change(driver.connect, config, id, nest),
  })

/** Replaces how a driver's connections take a turn. */
export const taking = (
  change: (
    execute: AgentConnection["execute"],
    request: Parameters<AgentConnection["execute"]>[0],
    turn: Turn,
    nest: Parrot.Nest,
  ) => ReturnType<AgentConnection["execute"]>,
) =>
  connecting((connect, config, id, nest) =>
    Effect.map(connect(config, id), (connection) => ({
      ...connection,
      execute: (request, turn) => change(connection.execute, request, turn, nest),
    })),
  )
