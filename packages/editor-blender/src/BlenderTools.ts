/**
 * The tools of Blender: a fixed list.
 */

import type { Arguments, EditorTool, JsonSchema, Scope } from "@zain/editor-link/domain/Catalogue"
import type { DomainError } from "@zain/editor-link/domain/DomainError"
import { describedIn, type Language, type Words } from "@zain/editor-link/domain/Language"
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import * as Effect from "effect/Effect"
import { filterMap, map } from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Boolean as Bool, Literals, optionalKey as optional, Struct } from "effect/Schema"
import * as BlenderBridge from "./BlenderBridge.ts"
import { maxCodeBytes, maxTimeoutMillis, usualTimeout } from "./OperationOptions.ts"
import type * as Loaded from "./Operations.ts"
import { Picture } from "./Picture.ts"
import * as QueryScene from "./QueryScene.ts"
import * as Steps from "./Steps.ts"
import * as ToolOutput from "./ToolOutput.ts"

/** A text of an argument, of so many characters. */
const upTo = (max: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(max))

const Text = upTo(2 ** 20)
const [Name, Path] = [upTo(1_024), upTo(4_096)]

/** An argument: its schema, and what clients read of it. */
interface Argument {
  readonly codec: Schema.Codec<unknown, unknown>
  readonly described?: ToolArguments.JsonSchema & { readonly description: Words }
}

const argument = (
  codec: Argument["codec"],
  en: string,
  ja: string,
  schema: ToolArguments.JsonSchema = {},
): Argument => ({
  codec,
  described: { ...schema, description: { en, ja } },
})

const options = {
  dryRun: argument(
    optional(Bool),
    "Does it, reports the changes, and undoes it. Default: false.",
    "実行して変更を報告し、元に戻します。既定: false。",
  ),
  preview: argument(
    optional(Picture),
    "Renders the scene before and after.",
    "実行前と実行後のシーンをレンダリングします。",
  ),
  timeoutMs: argument(
    optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxTimeoutMillis }))),
    `How long it may take in Blender, in milliseconds. Default: ${usualTimeout}.`,
    `Blender での制限時間（ミリ秒）。既定: ${usualTimeout}。`,
  ),
}

type Run = NonNullable<EditorTool["run"]>

/** Loaded with the first call: `initialize` does not need it. */
const Operations = Effect.promise(() => import("./Operations.ts"))

/**
 * @param defaults of the arguments
 * @param judge what else must be true of them
 */
const operation =
  (
    name: Loaded.Name,
    defaults: Arguments = {},
    judge: (loaded: typeof Loaded, args: Arguments) => Effect.Effect<unknown, DomainError> = () => Effect.void,
  ): Run =>
  (args, context) =>
    Effect.flatMap(Operations, (loaded) => {
      const { dryRun, language, preview, timeoutMs, ...own }: Arguments = { ...defaults, ...args }
      const input = { ...own, options: { dryRun, language, preview, timeoutMs } }
      const hasPreview = (preview ?? own["renderOptions"]) !== undefined
      const work = (services: Loaded.Services) => loaded.operations[name](services, input, hasPreview)
      return Effect.andThen(judge(loaded, args), BlenderBridge.use(context, work, BlenderBridge.resultOf))
    })

interface Row {
  readonly name: string
  readonly description: Words
  readonly scope: Scope
  readonly args: Readonly<Record<string, Argument>>
  readonly returns: () => JsonSchema
  /** What the schemas of arguments refer to. */
  readonly definitions?: ToolArguments.JsonSchema
  readonly run: Run
}

/** A tool in a language. Its schemas are made when they are read: that takes milliseconds. */
const tool =
  ({ args, definitions, description, name, returns, run, scope }: Row) =>
  (language: Language): EditorTool => {
    let made: ToolArguments.ToolArguments<Arguments> | undefined
    const taken = () =>
      (made ??= ToolArguments.make<Arguments>(
        Struct(map(args, ({ codec }) => codec)),
        filterMap(args, ({ described }) =>
          described === undefined ? Result.failVoid : Result.succeed(describedIn(language)(described)),
        ),
      ))
    const isReading = scope === "read"
    return {
      name,
      description: description[language],
      get inputSchema() {
        const { schema } = taken()
        return definitions === undefined ? schema : { ...schema, $defs: definitions }
      },
      get outputSchema() {
        return returns()
      },
      annotations: { readOnlyHint: isReading, destructiveHint: !isReading, idempotentHint: isReading },
      scopeOf: () => scope,
      read: (given) => taken().read(given),
      run,
    }
  }

const tools: ReadonlyArray<(language: Language) => EditorTool> = [
  tool({
    name: "command.executeNatural",
    description: {
      en: "Carries out a command in plain words, in Japanese or English: create, move, colour, delete and others.",
      ja: "Blender で自然言語コマンド（日本語または英語）を実行します。作成、移動、色、削除など。",
    },
    scope: "write",
    args: {
      command: argument(
        Text,
        "What is to be done, such as: create a red cube.",
        "実行するコマンド。例: 赤い立方体を作成する。",
      ),
      language: { codec: optional(Literals(["ja", "en"])) },
      ...options,
    },
    returns: ToolOutput.planned,
    run: operation("executeNatural"),
  }),
  tool({
    name: "command.executeRaw",
    description: {
      en: "Runs Python with bpy in Blender. Of a failure the scene is as it was. Modules: bpy, bmesh, math, mathutils, numpy, random, time.",
      ja: "Blender で bpy を使う Python を実行します。失敗するとシーンは元のままです。モジュール: bpy、bmesh、math、mathutils、numpy、random、time。",
    },
    scope: "execute",
    args: {
      pythonCode: argument(
        upTo(maxCodeBytes),
        "The result has what it prints, and the value of an expression at its end. 64 KiB at most.",
        "結果は出力と、末尾の式の値を含みます。64 KiB まで。",
      ),
      ...options,
    },
    returns: ToolOutput.ran,
    run: operation("executeRaw"),
  }),
  tool({
    name: "scene.capturePreview",
    description: {
      en: "Renders a picture of the scene: from the active camera, a side, or a view that frames all objects.",
      ja: "シーンの画像をレンダリングします。アクティブカメラ、ある側面、または全オブジェクトが収まる視点から。",
    },
    scope: "read",
    args: {
      width: argument(Picture.fields.width, "In pixels. Default: 512.", "ピクセル単位。既定: 512。"),
      height: argument(Picture.fields.height, "In pixels. Default: 512.", "ピクセル単位。既定: 512。"),
      view: { codec: Picture.fields.view },
      samples: { codec: Picture.fields.samples },
    },
    returns: ToolOutput.pictured,
    run: operation("capturePreview"),
  }),
  tool({
    name: "model.iterate",
    description: {
      en: "Changes an object by feedback in plain words, and renders the result.",
      ja: "自然言語のフィードバックでオブジェクトを変更し、結果をレンダリングします。",
    },
    scope: "write",
    args: {
      modelId: argument(Name, "The name of the object.", "オブジェクトの名前。"),
      feedback: argument(
        Text,
        "What is to be different, such as: make it taller.",
        "変更したい点。例: もっと高くする。",
      ),
      renderOptions: { codec: optional(Picture) },
    },
    returns: ToolOutput.planned,
    run: operation("iterate", { renderOptions: {} }),
  }),
  tool({
    name: "command.apply",
    description: {
      en: "Applies steps to the scene in order, all or none: create, transform, material, delete, duplicate, select, parent, modifier, light, camera, world, render.",
      ja: "手順を順にシーンへ適用します。すべて適用されるか、何も変わらないかです: create、transform、material、delete、duplicate、select、parent、modifier、light、camera、world、render。",
    },
    scope: "write",
    args: {
      steps: argument(
        Schema.Array(Schema.Unknown),
        "Each has one member: the kind of the step, with what it takes. Metres, radians, colours 0 to 1.",
        "各手順のメンバーは 1 つ、手順の種類とその内容です。単位はメートルとラジアン、色は 0 から 1。",
        Steps.list,
      ),
      ...options,
    },
    definitions: Steps.definitions,
    returns: ToolOutput.applied,
    run: operation("applyJudged", {}, ({ judgeSteps }, { steps }) => judgeSteps("command.apply", steps)),
  }),
  tool({
    name: "scene.query",
    description: {
      en: "Answers a GraphQL query of the scene, such as { scene { objects { name type location { x y z } } } }. It changes nothing.",
      ja: "シーンの GraphQL クエリに答えます。例: { scene { objects { name type location { x y z } } } }。何も変更しません。",
    },
    scope: "read",
    args: {
      query: { codec: Text },
      variables: { codec: optional(Schema.Record(Schema.String, Schema.Unknown)) },
      operationName: { codec: optional(Name) },
    },
    returns: ToolOutput.queried,
    run: QueryScene.run,
  }),
  tool({
    name: "scene.undo",
    description: {
      en: "Undoes the last change of the scene, or with redo does it again, and reports what is different.",
      ja: "シーンの最後の変更を元に戻すか、redo でやり直し、違いを報告します。",
    },
    scope: "write",
    args: {
      redo: argument(
        optional(Bool),
        "Does the last undone change again. Default: false.",
        "最後に元に戻した変更をやり直します。既定: false。",
      ),
    },
    returns: ToolOutput.stepped,
    run: (args, context) => operation(args["redo"] === true ? "redo" : "undo")(args, context),
  }),
  tool({
    name: "scene.save",
    description: {
      en: "Saves the scene to a .blend file below the directory of --files.",
      ja: "シーンを --files のディレクトリ以下の .blend ファイルに保存します。",
    },
    scope: "write",
    args: {
      file: argument(
        optional(Path),
        "Below the directory; its path may be relative to it. Default: the scene's own.",
        "ディレクトリ以下のファイル。相対パスも可。既定: シーンのファイル。",
      ),
    },
    returns: ToolOutput.filed,
    run: operation("save"),
  }),
  tool({
    name: "scene.open",
    description: {
      en: "Opens a .blend file below the directory of --files, in place of the scene. Its scripts do not run. Fails while the scene has unsaved changes, unless `discard` is true.",
      ja: "シーンの代わりに、--files のディレクトリ以下の .blend ファイルを開きます。スクリプトは実行されません。保存していない変更があると、`discard` が true でない限り失敗します。",
    },
    scope: "write",
    args: {
      file: argument(
        Path,
        "Below the directory; its path may be relative to it.",
        "ディレクトリ以下のファイル。相対パスも可。",
      ),
      discard: argument(
        optional(Bool),
        "Discards unsaved changes. The result names a copy, where copies are kept. Default: false.",
        "保存していない変更を破棄します。コピーが残る場合、結果がその場所を示します。既定: false。",
      ),
    },
    returns: ToolOutput.filed,
    run: operation("open"),
  }),
]

const made: Partial<Record<Language, ReadonlyArray<EditorTool>>> = {}

/** @param language of descriptions. The tools of each are made once */
export const toolsIn = (language: Language): ReadonlyArray<EditorTool> =>
  (made[language] ??= tools.map((make) => make(language)))

export const blenderTools = toolsIn("en")
