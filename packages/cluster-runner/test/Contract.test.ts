import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import * as Parrots from "../testing/Parrots.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const { subject } = await Effect.runPromise(Scope.provide(Parrots.subject(), scope))
run(subject, { caseLimit: 20_000 })
