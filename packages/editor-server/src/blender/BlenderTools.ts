/**
 * The tools of Blender: a fixed list.
 */
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Arguments, EditorTool, JsonSchema, Scope } from "../domain/Catalogue.ts"
import { mostCode, mostMillis, usualTimeout } from "./OperationOptions.ts"
import * as OperationTools from "./OperationTools.ts"
import { Picture } from "./Picture.ts"
import * as QueryScene from "./QueryScene.ts"
import * as Steps from "./Steps.ts"
import * as ToolOutput from "./ToolOutput.ts"

const { Boolean: Bool, Literals, optionalKey: optional, Struct } = Schema

/** A text of an argument, of so many characters. */
const upTo = (longest: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest))

const Text = upTo(2 ** 20)

const run = {
  dryRun: optional(Bool),
  preview: optional(Picture),
  timeoutMs: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostMillis }))),
}
const described = {
  dryRun: { description: "Does it, reports the changes, and undoes it. Default: false." },
  preview: { description: "Renders the scene before and after." },
  timeoutMs: { description: `How long it may take in Blender, in milliseconds. Default: ${usualTimeout}.` },
}

interface Row<A> {
  readonly name: string
  readonly description: string
  readonly scope: Scope
  readonly args: Schema.Codec<A, unknown>
  readonly returns: JsonSchema
  readonly described?: Readonly<Record<string, ToolArguments.JsonSchema>>
  /** What the schemas of arguments refer to. */
  readonly definitions?: ToolArguments.JsonSchema
  /** Checks arguments beyond their schema. */
  readonly judge?: (args: A) => Result.Result<A, string>
  readonly run: NonNullable<EditorTool["run"]>
}

const tool = <A extends Arguments>({
  args,
  described = {},
  description,
  name,
  returns,
  run,
  scope,
  ...row
}: Row<A>): EditorTool => {
  const { read, schema } = ToolArguments.make<A>(args, described)
  const { definitions, judge = Result.succeed } = row
  const isReading = scope === "read"
  return {
    name,
    description,
    inputSchema: definitions === undefined ? schema : { ...schema, $defs: definitions },
    outputSchema: returns,
    annotations: { readOnlyHint: isReading, destructiveHint: !isReading, idempotentHint: isReading },
    scopeOf: () => scope,
    read: (given) => Result.flatMap(read(given), judge),
    run,
  }
}

export const blenderTools: ReadonlyArray<EditorTool> = [
  tool({
    name: "command.executeNatural",
    description:
      "Carries out a command in plain words, in Japanese or English: create, move, colour, delete and others.",
    scope: "write",
    args: Struct({ command: Text, language: optional(Literals(["ja", "en"])), ...run }),
    described: { ...described, command: { description: "What is to be done, such as: create a red cube." } },
    returns: ToolOutput.planned,
    run: OperationTools.executeNatural,
  }),
  tool({
    name: "command.executeRaw",
    description:
      "Runs Python with bpy in Blender. Of a failure the scene is as it was. Modules: bpy, bmesh, math, mathutils, numpy, random, time.",
    scope: "execute",
    args: Struct({ pythonCode: upTo(mostCode), ...run }),
    described: {
      ...described,
      pythonCode: {
        description: "The result has what it prints, and the value of an expression at its end. 64 KiB at most.",
      },
    },
    returns: ToolOutput.ran,
    run: OperationTools.executeRaw,
  }),
  tool({
    name: "scene.capturePreview",
    description: "Renders a picture of the scene: from the active camera, a side, or a view that frames all objects.",
    scope: "read",
    args: Picture,
    described: {
      width: { description: "In pixels. Default: 512." },
      height: { description: "In pixels. Default: 512." },
    },
    returns: ToolOutput.pictured,
    run: OperationTools.capturePreview,
  }),
  tool({
    name: "model.iterate",
    description: "Changes an object by feedback in plain words, and renders the result.",
    scope: "write",
    args: Struct({ modelId: Text, feedback: Text, renderOptions: optional(Picture) }),
    described: {
      modelId: { description: "The name of the object." },
      feedback: { description: "What is to be different, such as: make it taller." },
    },
    returns: ToolOutput.planned,
    run: OperationTools.iterate,
  }),
  tool({
    name: "command.apply",
    description:
      "Applies steps to the scene in order, all or none: create, transform, material, delete, duplicate, select, parent, modifier, light, camera, world, render.",
    scope: "write",
    args: Struct({ steps: Schema.Array(Schema.Unknown), ...run }),
    described: {
      ...described,
      steps: {
        ...Steps.list,
        description: "Each has one member: the kind of the step, with what it takes. Metres, radians, colours 0 to 1.",
      },
    },
    definitions: Steps.definitions,
    judge: (args) => Result.mapBoth(Steps.read(args.steps), { onSuccess: () => args, onFailure: Steps.sentence }),
    returns: ToolOutput.applied,
    run: OperationTools.apply,
  }),
  tool({
    name: "scene.query",
    description:
      "Answers a GraphQL query of the scene, such as { scene { objects { name type location { x y z } } } }. It changes nothing.",
    scope: "read",
    args: Struct({
      query: Text,
      variables: optional(Schema.Record(Schema.String, Schema.Unknown)),
      operationName: optional(Text),
    }),
    returns: ToolOutput.queried,
    run: QueryScene.run,
  }),
  tool({
    name: "scene.undo",
    description: "Undoes the last change of the scene, or with redo does it again, and reports what is different.",
    scope: "write",
    args: Struct({ redo: optional(Bool) }),
    described: { redo: { description: "Does the last undone change again. Default: false." } },
    returns: ToolOutput.stepped,
    run: OperationTools.undo,
  }),
  tool({
    name: "scene.save",
    description: "Saves the scene to a .blend file below the directory of --files.",
    scope: "write",
    args: Struct({ file: optional(Text) }),
    described: {
      file: { description: "Below the directory; its path may be relative to it. Default: the scene's own." },
    },
    returns: ToolOutput.filed,
    run: OperationTools.withFile("file.save"),
  }),
  tool({
    name: "scene.open",
    description:
      "Opens a .blend file below the directory of --files, in place of the scene. Its scripts do not run. Fails while the scene has unsaved changes, unless `discard` is true.",
    scope: "write",
    args: Struct({ file: Text, discard: optional(Bool) }),
    described: {
      file: { description: "Below the directory; its path may be relative to it." },
      discard: {
        description: "Discards unsaved changes. The result names a copy, where copies are kept. Default: false.",
      },
    },
    returns: ToolOutput.filed,
    run: OperationTools.withFile("file.open"),
  }),
]
