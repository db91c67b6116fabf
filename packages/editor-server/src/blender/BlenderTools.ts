/**
 * The tools of Blender: a fixed list.
 */
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import { map } from "effect/Record"
import * as Schema from "effect/Schema"
import { Boolean as Bool, Literals, optionalKey as optional, Struct } from "effect/Schema"
import type { Arguments, EditorTool, JsonSchema, Scope } from "../domain/Catalogue.ts"
import { describedIn, type Language, type Words } from "../domain/Language.ts"
import { mostCode, mostMillis, usualTimeout } from "./OperationOptions.ts"
import * as OperationTools from "./OperationTools.ts"
import { Picture } from "./Picture.ts"
import * as QueryScene from "./QueryScene.ts"
import * as Steps from "./Steps.ts"
import * as ToolOutput from "./ToolOutput.ts"

/** A text of an argument, of so many characters. */
const upTo = (longest: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest))

const Text = upTo(2 ** 20)
const [Name, Path] = [upTo(1_024), upTo(4_096)]

const run = {
  dryRun: optional(Bool),
  preview: optional(Picture),
  timeoutMs: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostMillis }))),
}
const described = {
  dryRun: {
    description: {
      en: "Does it, reports the changes, and undoes it. Default: false.",
      ja: "実行して変更を報告し、元に戻します。既定: false。",
    },
  },
  preview: {
    description: { en: "Renders the scene before and after.", ja: "実行前と実行後のシーンをレンダリングします。" },
  },
  timeoutMs: {
    description: {
      en: `How long it may take in Blender, in milliseconds. Default: ${usualTimeout}.`,
      ja: `Blender での制限時間（ミリ秒）。既定: ${usualTimeout}。`,
    },
  },
}

interface Row<A> {
  readonly name: string
  readonly description: Words
  readonly scope: Scope
  readonly args: Schema.Codec<A, unknown>
  readonly returns: () => JsonSchema
  readonly described?: Readonly<Record<string, ToolArguments.JsonSchema & { readonly description: Words }>>
  /** What the schemas of arguments refer to. */
  readonly definitions?: ToolArguments.JsonSchema
  readonly run: NonNullable<EditorTool["run"]>
}

/** A tool in a language. Its schemas are made when they are read: that takes milliseconds. */
const tool =
  <A extends Arguments>({ args, described = {}, description, name, returns, run, scope, ...row }: Row<A>) =>
  (language: Language): EditorTool => {
    let made: ToolArguments.ToolArguments<A> | undefined
    const taken = () => (made ??= ToolArguments.make<A>(args, map(described, describedIn(language))))
    const { definitions } = row
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
    args: Struct({ command: Text, language: optional(Literals(["ja", "en"])), ...run }),
    described: {
      ...described,
      command: {
        description: {
          en: "What is to be done, such as: create a red cube.",
          ja: "実行するコマンド。例: 赤い立方体を作成する。",
        },
      },
    },
    returns: ToolOutput.planned,
    run: OperationTools.executeNatural,
  }),
  tool({
    name: "command.executeRaw",
    description: {
      en: "Runs Python with bpy in Blender. Of a failure the scene is as it was. Modules: bpy, bmesh, math, mathutils, numpy, random, time.",
      ja: "Blender で bpy を使う Python を実行します。失敗するとシーンは元のままです。モジュール: bpy、bmesh、math、mathutils、numpy、random、time。",
    },
    scope: "execute",
    args: Struct({ pythonCode: upTo(mostCode), ...run }),
    described: {
      ...described,
      pythonCode: {
        description: {
          en: "The result has what it prints, and the value of an expression at its end. 64 KiB at most.",
          ja: "結果は出力と、末尾の式の値を含みます。64 KiB まで。",
        },
      },
    },
    returns: ToolOutput.ran,
    run: OperationTools.executeRaw,
  }),
  tool({
    name: "scene.capturePreview",
    description: {
      en: "Renders a picture of the scene: from the active camera, a side, or a view that frames all objects.",
      ja: "シーンの画像をレンダリングします。アクティブカメラ、ある側面、または全オブジェクトが収まる視点から。",
    },
    scope: "read",
    args: Picture,
    described: {
      width: { description: { en: "In pixels. Default: 512.", ja: "ピクセル単位。既定: 512。" } },
      height: { description: { en: "In pixels. Default: 512.", ja: "ピクセル単位。既定: 512。" } },
    },
    returns: ToolOutput.pictured,
    run: OperationTools.capturePreview,
  }),
  tool({
    name: "model.iterate",
    description: {
      en: "Changes an object by feedback in plain words, and renders the result.",
      ja: "自然言語のフィードバックでオブジェクトを変更し、結果をレンダリングします。",
    },
    scope: "write",
    args: Struct({ modelId: Name, feedback: Text, renderOptions: optional(Picture) }),
    described: {
      modelId: { description: { en: "The name of the object.", ja: "オブジェクトの名前。" } },
      feedback: {
        description: {
          en: "What is to be different, such as: make it taller.",
          ja: "変更したい点。例: もっと高くする。",
        },
      },
    },
    returns: ToolOutput.planned,
    run: OperationTools.iterate,
  }),
  tool({
    name: "command.apply",
    description: {
      en: "Applies steps to the scene in order, all or none: create, transform, material, delete, duplicate, select, parent, modifier, light, camera, world, render.",
      ja: "手順を順にシーンへ適用します。すべて適用されるか、何も変わらないかです: create、transform、material、delete、duplicate、select、parent、modifier、light、camera、world、render。",
    },
    scope: "write",
    args: Struct({ steps: Schema.Array(Schema.Unknown), ...run }),
    described: {
      ...described,
      steps: {
        ...Steps.list,
        description: {
          en: "Each has one member: the kind of the step, with what it takes. Metres, radians, colours 0 to 1.",
          ja: "各手順のメンバーは 1 つ、手順の種類とその内容です。単位はメートルとラジアン、色は 0 から 1。",
        },
      },
    },
    definitions: Steps.definitions,
    returns: ToolOutput.applied,
    run: OperationTools.apply,
  }),
  tool({
    name: "scene.query",
    description: {
      en: "Answers a GraphQL query of the scene, such as { scene { objects { name type location { x y z } } } }. It changes nothing.",
      ja: "シーンの GraphQL クエリに答えます。例: { scene { objects { name type location { x y z } } } }。何も変更しません。",
    },
    scope: "read",
    args: Struct({
      query: Text,
      variables: optional(Schema.Record(Schema.String, Schema.Unknown)),
      operationName: optional(Name),
    }),
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
    args: Struct({ redo: optional(Bool) }),
    described: {
      redo: {
        description: {
          en: "Does the last undone change again. Default: false.",
          ja: "最後に元に戻した変更をやり直します。既定: false。",
        },
      },
    },
    returns: ToolOutput.stepped,
    run: OperationTools.undo,
  }),
  tool({
    name: "scene.save",
    description: {
      en: "Saves the scene to a .blend file below the directory of --files.",
      ja: "シーンを --files のディレクトリ以下の .blend ファイルに保存します。",
    },
    scope: "write",
    args: Struct({ file: optional(Path) }),
    described: {
      file: {
        description: {
          en: "Below the directory; its path may be relative to it. Default: the scene's own.",
          ja: "ディレクトリ以下のファイル。相対パスも可。既定: シーンのファイル。",
        },
      },
    },
    returns: ToolOutput.filed,
    run: OperationTools.withFile("file.save"),
  }),
  tool({
    name: "scene.open",
    description: {
      en: "Opens a .blend file below the directory of --files, in place of the scene. Its scripts do not run. Fails while the scene has unsaved changes, unless `discard` is true.",
      ja: "シーンの代わりに、--files のディレクトリ以下の .blend ファイルを開きます。スクリプトは実行されません。保存していない変更があると、`discard` が true でない限り失敗します。",
    },
    scope: "write",
    args: Struct({ file: Path, discard: optional(Bool) }),
    described: {
      file: {
        description: {
          en: "Below the directory; its path may be relative to it.",
          ja: "ディレクトリ以下のファイル。相対パスも可。",
        },
      },
      discard: {
        description: {
          en: "Discards unsaved changes. The result names a copy, where copies are kept. Default: false.",
          ja: "保存していない変更を破棄します。コピーが残る場合、結果がその場所を示します。既定: false。",
        },
      },
    },
    returns: ToolOutput.filed,
    run: OperationTools.withFile("file.open"),
  }),
]

const made: Partial<Record<Language, ReadonlyArray<EditorTool>>> = {}

/** @param language of descriptions. The tools of each are made once */
export const toolsIn = (language: Language): ReadonlyArray<EditorTool> =>
  (made[language] ??= tools.map((make) => make(language)))

export const blenderTools = toolsIn("en")
