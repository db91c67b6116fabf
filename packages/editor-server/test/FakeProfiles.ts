/**
 * The profiles whose editors have a fake, and what tests call of them.
 */
import type { Effect, Scope } from "effect"
import type { EditorProfile } from "../src/domain/EditorProfile.ts"
import type { FakeEditor, FakeOptions } from "../src/fake/FakeEditor.ts"
import * as FakeUnity from "../src/fake/FakeUnity.ts"
import * as FakeUnityLoop from "../src/fake/FakeUnityLoop.ts"
import type { CommonFault } from "../src/fake/Fault.ts"
import { unity } from "../src/unity/UnityProfile.ts"
import { unityLoop } from "../src/unity-loop/UnityLoopProfile.ts"

/** A tool and its arguments. */
export type Call = readonly [name: string, args: object]

/**
 * - `reading`: changes nothing; its result contains `shows`
 * - `writing`: makes an object of this name
 */
export interface FakeProfile {
  readonly profile: EditorProfile
  readonly start: (options?: FakeOptions<CommonFault>) => Effect.Effect<FakeEditor<CommonFault>, Error, Scope.Scope>
  readonly faults: ReadonlyArray<string>
  readonly reading: Call
  readonly shows: string
  readonly writing: (name: string) => Call
}

export const fakeProfiles = {
  "unity-loop": {
    profile: unityLoop,
    start: FakeUnityLoop.start,
    faults: FakeUnityLoop.loopFaults,
    reading: ["get-hierarchy", {}],
    shows: "sceneName",
    writing: (name) => ["create-game-object", { Name: name }],
  },
  unity: {
    profile: unity,
    start: FakeUnity.start,
    faults: FakeUnity.unityFaults,
    reading: ["get_hierarchy", {}],
    shows: "hierarchy",
    writing: (name) => ["create_gameobject", { name }],
  },
} as const satisfies Readonly<Record<string, FakeProfile>>

export type ProfileName = keyof typeof fakeProfiles
