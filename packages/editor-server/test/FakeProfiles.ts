/**
 * The profiles whose editors have a fake, and what tests call of them.
 */

import { blender } from "@zain/editor-blender/BlenderProfile"
import * as FakeBlender from "@zain/editor-blender/fake/FakeBlender"
import type { EditorProfile } from "@zain/editor-link/domain/EditorProfile"
import type { CommonFault } from "@zain/editor-link/fake/EditorFault"
import type { FakeEditor, FakeOptions } from "@zain/editor-link/fake/FakeEditor"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import { unity } from "@zain/editor-unity/UnityProfile"
import * as FakeUnityLoop from "@zain/editor-unity-loop/fake/FakeUnityLoop"
import { unityLoop } from "@zain/editor-unity-loop/UnityLoopProfile"
import type { Effect, Redacted, Scope } from "effect"

/** A tool and its arguments. */
export type Call = readonly [name: string, args: object]

/** `token`: what the editor admits a server by, where it needs one. */
export interface Fake extends FakeEditor<CommonFault> {
  readonly token?: Redacted.Redacted
}

export interface FakeProfile {
  readonly profile: EditorProfile
  readonly start: (options?: FakeOptions<CommonFault>) => Effect.Effect<Fake, Error, Scope.Scope>
  readonly faults: ReadonlyArray<string>
  /** Changes nothing; its result contains `shows`. */
  readonly reading: Call
  readonly shows: string
  /** Makes an object of this name. */
  readonly writing: (name: string) => Call
  /** Faults that fail a call of this profile, and harm no call of others. */
  readonly spoiling?: ReadonlyArray<string>
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
  blender: {
    profile: blender,
    start: FakeBlender.start,
    faults: FakeBlender.blenderFaults,
    reading: ["scene.query", { query: "{ scene { context { objectCount } } }" }],
    shows: "objectCount",
    writing: (name) => ["command.apply", { steps: [{ create: { primitive: "cube", name } }] }],
    spoiling: ["noise"],
  },
} as const satisfies Readonly<Record<string, FakeProfile>>

export type ProfileName = keyof typeof fakeProfiles
