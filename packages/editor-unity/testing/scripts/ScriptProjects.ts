/** Projects in temporary directories, and calls of the tools on them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { DomainError } from "@zain/editor-link/domain/DomainError"
import { directory } from "@zain/testkit/Directory"
import { Effect, Scope } from "effect"
import * as CSharp from "../../src/scripts/CSharp.ts"
import { make } from "../../src/scripts/ScriptTools.ts"

/** What a tool gave, as its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape.
export type Given = any

export interface TestProject {
  readonly root: string
  readonly call: (tool: string, args?: Readonly<Record<string, unknown>>) => Effect.Effect<Given, DomainError>
  readonly refuse: (tool: string, args?: Readonly<Record<string, unknown>>) => Effect.Effect<DomainError, Given>
  readonly read: (path: string) => string
  readonly write: (path: string, content: string | Uint8Array) => void
}

const csharp = Effect.runSync(Scope.provide(CSharp.open, Scope.makeUnsafe()))

/** The tools on scripts, with one thread for all calls in this process: each would compile the grammar anew. */
export const scriptTools = () => make(Effect.succeed(csharp))

/** A project with files. */
export const project = Effect.fnUntraced(function* (files: Readonly<Record<string, string | Uint8Array>>) {
  const root = yield* directory
  const tools = scriptTools()
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const [path, content] of Object.entries({ "Assets/.keep": "", ...files })) write(path, content)
  const call: TestProject["call"] = (tool, args = {}) => {
    const context = {
      send: () => Effect.die("the editor is not asked"),
      progress: () => {},
      project: Effect.succeed(root),
      longTimeout: 60_000,
    }
    return Effect.map(tools[tool]?.(args, context) ?? Effect.die(`no tool ${tool}`), ({ content }) =>
      JSON.parse(content[0]?.type === "text" ? content[0].text : "null"),
    )
  }
  const made: TestProject = {
    root,
    call,
    refuse: (tool, args) => Effect.flip(call(tool, args)),
    read: (path) => readFileSync(join(root, path), "utf8"),
    write,
  }
  return made
})

export const player = `using UnityEngine;

namespace Game
{
    /// <summary>Moves.</summary>
    public class Player : MonoBehaviour
    {
        [SerializeField] private float speed = 5f, jump = 2f;

        // speed of the player
        public float Speed => speed;

        private void Update()
        {
            transform.Translate(Vector3.forward * speed);
            Debug.Log("speed");
        }

        public void Boost(float speed)
        {
            this.speed = speed * 2;
        }

        public enum Mode
        {
            Walk,
            Run,
        }
    }
}
`
