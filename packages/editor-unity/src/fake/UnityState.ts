/**
 * What the fake of `unity` remembers.
 */
import { FakeScene } from "@zain/editor-link/fake/FakeScene"

/** The size of a recording, and how it is known. */
export interface Recording {
  readonly recordingId: string
  readonly outputPath: string
}

/** `asked`: how often its status has been asked for. */
export interface TestRun {
  readonly runId: string
  readonly mode: string
  asked: number
}

export interface Material {
  shader: string
  readonly properties: Record<string, unknown>
}

/**
 * - `playChanged`: is called when play mode has begun or ended; `quit`: when the editor is to end
 */
export interface Surroundings {
  readonly project: () => string
  /** Does something after so many milliseconds. */
  readonly later: (milliseconds: number, action: () => void) => void
  readonly playChanged: () => void
  readonly quit: () => void
}

export class UnityState {
  readonly scene = new FakeScene()
  readonly materials = new Map<string, Material>()
  readonly scenes = new Set(["Assets/Scenes/SampleScene.unity"])
  readonly tags = new Set(["Untagged", "Respawn", "Finish", "EditorOnly", "MainCamera", "Player", "GameController"])
  selection: ReadonlyArray<string> = []
  isPlaying = false
  isPaused = false
  tests: TestRun | undefined
  recording: Recording | undefined
  /** What `get_editor_state` answers until it is taken anew. */
  snapshot: unknown
  readonly around: Surroundings
  private count = 0

  constructor(around: Surroundings) {
    this.around = around
    this.scene.log("Log", "The fake editor has started.")
  }

  /** A name that no other run or recording has. */
  nextId(kind: string): string {
    return `${kind}-${++this.count}`
  }
}

/** A failure as most commands report it: inside a success. */
export const failed = (error: string, code?: string) => (code === undefined ? { error } : { error, code })
