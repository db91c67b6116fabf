import { assert, describe, expectTypeOf } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Cause, Context, Duration, Effect, Exit } from "effect"
import { ClientCompatibilityService } from "../../src/application/ClientCompatibilityService.ts"
import { ConnectionService } from "../../src/application/ConnectionService.ts"
import type { ContentService } from "../../src/application/ContentService.ts"
import { DiscoveryService } from "../../src/application/DiscoveryService.ts"
import { EventService } from "../../src/application/EventService.ts"
import { MessageService } from "../../src/application/MessageService.ts"
import { ToolManagementService } from "../../src/application/ToolManagementService.ts"
import { ToolQueryService } from "../../src/application/ToolQueryService.ts"
import * as ExecuteTool from "../../src/application/use-cases/ExecuteTool.ts"
import * as HandleConnectionLost from "../../src/application/use-cases/HandleConnectionLost.ts"
import * as InitializeServer from "../../src/application/use-cases/InitializeServer.ts"
import * as ProcessNotification from "../../src/application/use-cases/ProcessNotification.ts"
import * as Timeout from "../../src/domain/Timeout.ts"
import type { ClientServices } from "../../src/infrastructure/mcp/ClientEditors.ts"
import { fixed, usual } from "../../testing/domain/Setting.ts"
import { fourthEditor } from "../../testing/FourthEditor.ts"
import type { AllServices } from "../domain/FakeServices.ts"
import * as LiveServices from "./LiveServices.ts"

/** All use cases, one after the other; the last fails because there is no such tool. */
const useCases = Effect.all([
  InitializeServer.execute({ connectWait: Duration.zero, syncWait: Duration.zero, isKnown: true }),
  ProcessNotification.execute({ notice: { _tag: "Notice", kind: "tools-changed" } }),
  HandleConnectionLost.execute({ isCleared: false }),
  ExecuteTool.execute(
    { ...fourthEditor, timeoutOf: Timeout.of(fourthEditor) },
    {
      name: "none",
      arguments: {},
      longTimeout: Duration.zero,
      sample: () => undefined,
      progress: () => {},
      log: () => {},
    },
  ),
])
const over = <Services>(services: Context.Context<Services>) => Effect.provideContext(useCases, services)

/** What becomes of a program that needs no service. */
const run = (program: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(program), (exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it succeeded"))

describe("the services of a server", () => {
  test("every service resolves, and a use case without one neither compiles nor runs (editors 000.20)", function* () {
    expectTypeOf<ClientServices>().toEqualTypeOf<AllServices | ContentService>()
    const { controls, services } = yield* LiveServices.make({ ...usual, catalogue: fixed })
    controls.come()
    assert.include(yield* run(over(services)), 'Fourth has no tool "none"')
    const without = [
      // @ts-expect-error: InitializeServer needs it
      run(over(Context.omit(ClientCompatibilityService)(services))),
      // @ts-expect-error: all use cases need it
      run(over(Context.omit(ConnectionService)(services))),
      // @ts-expect-error: InitializeServer and HandleConnectionLost need it
      run(over(Context.omit(DiscoveryService)(services))),
      // @ts-expect-error: RefreshTools and HandleConnectionLost need it
      run(over(Context.omit(EventService)(services))),
      // @ts-expect-error: ExecuteTool needs it
      run(over(Context.omit(MessageService)(services))),
      // @ts-expect-error: all use cases need it
      run(over(Context.omit(ToolManagementService)(services))),
      // @ts-expect-error: ExecuteTool needs it
      run(over(Context.omit(ToolQueryService)(services))),
    ]
    for (const outcome of without) assert.include(yield* outcome, "Service not found")
  })
})
