import { PeerObservation } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import * as Parrot from "../../../contract-tests/testing/ThirdParty.ts"
import * as ContractCluster from "../testing/ContractCluster.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const record = PeerObservation.make()
const home = Parrot.nest(record)
const subject = await ContractCluster.subject(
  {
    ...{ provider: "parrot", peer: record.observation, turn: Parrot.turn },
    driver: Effect.sync(() => Parrot.driver(home)),
    servers: { usual: Parrot.config, unreachable: Parrot.unreachable, silent: Parrot.silent },
    callerOptions: ["background", "model", "volume"],
  },
  ContractCluster.threeRunners,
).pipe(Scope.provide(scope), Effect.runPromise)

run(subject)
