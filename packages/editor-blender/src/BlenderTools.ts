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
import {
  maxCodeBytes,
  maxRenderMillis,
  maxTimeoutMillis,
  usualRenderTimeout,
  usualTimeout,
} from "./OperationOptions.ts"
import type * as Loaded from "./Operations.ts"
import { Picture } from "./Picture.ts"
import * as QueryScene from "./QueryScene.ts"
import * as Steps from "./Steps.ts"
import * as ToolOutput from "./ToolOutput.ts"

/** A text of an argument, of so many characters. */
const upTo = (max: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(max))

const Text = upTo(2 ** 20)
const [Name, Path] = [upTo(1_024), upTo(4_096)]
const Frame = Schema.Int.check(Schema.isBetween({ minimum: -1_000_000, maximum: 1_000_000 }))

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

const timeoutUpTo = (usual: number, maximum: number) =>
  argument(
    optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))),
    `How long it may take in Blender, in milliseconds. Default: ${usual}.`,
    `Blender での制限時間（ミリ秒）。既定: ${usual}。`,
  )

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
  timeoutMs: timeoutUpTo(usualTimeout, maxTimeoutMillis),
}

const file = argument(
  Path,
  "Below the directory; its path may be relative to it.",
  "ディレクトリ以下のファイル。相対パスも可。",
)

const overwrite = argument(
  optional(Bool),
  "Replaces a file that exists. Default: false.",
  "既存のファイルを置き換えます。既定: false。",
)

/** The formats of scene.import and scene.export; of this list, a Blender may lack some. */
const formats = ".glb, .gltf, .obj, .fbx, .stl, .ply, .usd, .usda, .usdc, .usdz"

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
      en: "Renders a picture of the scene: from the active camera, a side, the user's 3D view (viewport), or a view that frames all objects.",
      ja: "シーンの画像をレンダリングします。アクティブカメラ、ある側面、ユーザーの 3D ビュー（viewport）、または全オブジェクトが収まる視点から。",
    },
    scope: "read",
    args: {
      width: argument(Picture.fields.width, "In pixels. Default: 512.", "ピクセル単位。既定: 512。"),
      height: argument(Picture.fields.height, "In pixels. Default: 512.", "ピクセル単位。既定: 512。"),
      view: { codec: Picture.fields.view },
      samples: { codec: Picture.fields.samples },
      denoise: argument(
        Picture.fields.denoise,
        "Renders by Cycles and removes its noise. Default: false.",
        "Cycles でレンダリングし、ノイズを除去します。既定: false。",
      ),
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
      overwrite,
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
      file,
      discard: argument(
        optional(Bool),
        "Discards unsaved changes. The result names a copy, where copies are kept. Default: false.",
        "保存していない変更を破棄します。コピーが残る場合、結果がその場所を示します。既定: false。",
      ),
    },
    returns: ToolOutput.filed,
    run: operation("open"),
  }),
  tool({
    name: "scene.export",
    description: {
      en: `Writes the scene to a file below the directory of --files, by the end of its name: ${formats}.`,
      ja: `シーンを --files のディレクトリ以下のファイルに書き出します。形式は拡張子で決まります: ${formats}。`,
    },
    scope: "write",
    args: {
      file,
      selected: argument(
        optional(Bool),
        "Writes the selected objects alone. Default: false.",
        "選択中のオブジェクトだけを書き出します。既定: false。",
      ),
      overwrite,
    },
    returns: ToolOutput.transferred,
    run: operation("export"),
  }),
  tool({
    name: "scene.import",
    description: {
      en: `Adds the objects of a file below the directory of --files to the scene: ${formats}. What it refers to elsewhere is left out.`,
      ja: `--files のディレクトリ以下のファイルのオブジェクトをシーンに追加します: ${formats}。ほかの場所への参照は除かれます。`,
    },
    scope: "write",
    args: { file },
    returns: ToolOutput.transferred,
    run: operation("import"),
  }),
  tool({
    name: "scene.append",
    description: {
      en: "Adds objects, collections or materials of another .blend file below the directory of --files, copied or linked.",
      ja: "--files のディレクトリ以下の別の .blend ファイルから、オブジェクト、コレクション、マテリアルをコピーまたはリンクします。",
    },
    scope: "write",
    args: {
      file,
      kind: argument(
        optional(Literals(["objects", "collections", "materials"])),
        "What is added. Default: objects.",
        "追加するもの。既定: objects。",
      ),
      names: argument(
        optional(Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(1_000))),
        "Their names in the file. Default: all.",
        "ファイル内の名前。既定: すべて。",
      ),
      link: argument(
        optional(Bool),
        "They stay in their file, and cannot be changed here. Default: false.",
        "元のファイルに残し、ここでは変更できません。既定: false。",
      ),
    },
    returns: ToolOutput.transferred,
    run: operation("append"),
  }),
  tool({
    name: "scene.render",
    description: {
      en: "Renders a frame, or a range, by the scene's camera and render settings to files below the directory of --files: .png, .jpg, .exr, .tif or .webp. Without a window the engine must be cycles.",
      ja: "シーンのカメラとレンダー設定で 1 フレームまたは範囲をレンダリングし、--files のディレクトリ以下のファイルに書き出します: .png、.jpg、.exr、.tif、.webp。ウィンドウがない場合、エンジンは cycles に限ります。",
    },
    scope: "write",
    args: {
      file,
      frame: argument(
        optional(Frame),
        "The frame, or the first of the range. Default: the scene's.",
        "フレーム、または範囲の最初。既定: シーンの現在のフレーム。",
      ),
      lastFrame: argument(
        optional(Frame),
        "Renders a range up to this frame, 10,000 at most: the name of each file ends with four digits.",
        "このフレームまでの範囲をレンダリングします（10,000 まで）。ファイル名の末尾に 4 桁の番号が付きます。",
      ),
      denoise: argument(
        Picture.fields.denoise,
        "Whether Cycles removes noise. Default: as the scene has it.",
        "Cycles でノイズを除去するか。既定: シーンの設定。",
      ),
      overwrite,
      timeoutMs: timeoutUpTo(usualRenderTimeout, maxRenderMillis),
    },
    returns: ToolOutput.transferred,
    run: operation("render"),
  }),
]

const made: Partial<Record<Language, ReadonlyArray<EditorTool>>> = {}

/** @param language of descriptions. The tools of each are made once */
export const toolsIn = (language: Language): ReadonlyArray<EditorTool> =>
  (made[language] ??= tools.map((make) => make(language)))

export const blenderTools = toolsIn("en")
