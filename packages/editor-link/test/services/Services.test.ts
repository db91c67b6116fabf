import { describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { usual } from "../../testing/domain/Setting.ts"
import * as FakeServices from "../domain/FakeServices.ts"
import type { Behaviour } from "./Behaviour.ts"
import * as EditorContracts from "./EditorContracts.ts"
import * as LiveServices from "./LiveServices.ts"
import * as ToolContracts from "./ToolContracts.ts"

/** By the names of the services. */
const contracts: Readonly<Record<string, ReadonlyArray<Behaviour>>> = {
  ConnectionService: EditorContracts.connection,
  DiscoveryService: EditorContracts.discovery,
  MessageService: EditorContracts.message,
  EventService: EditorContracts.event,
  ToolQueryService: ToolContracts.query,
  ToolManagementService: ToolContracts.management,
  ClientCompatibilityService: ToolContracts.compatibility,
}
const layers = { live: LiveServices.make, fake: FakeServices.make }

for (const [service, behaviours] of Object.entries(contracts)) {
  for (const [layer, make] of Object.entries(layers)) {
    describe(`${service}, ${layer}`, () => {
      for (const { holds, setting, title } of behaviours) {
        test(`${title} (editors 000.20)`, function* () {
          const { controls, services } = yield* make({ ...usual, ...setting })
          yield* Effect.provideContext(holds(controls), services)
        })
      }
    })
  }
}
