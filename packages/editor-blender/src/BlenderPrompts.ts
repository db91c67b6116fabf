/**
 * Texts that users start with, in Japanese and English.
 */

import type { EditorPrompt, PromptParameter } from "@zain/editor-link/domain/EditorFeatures"
import { type Described, describedIn, type Language, languages } from "@zain/editor-link/domain/Language"
import * as Result from "effect/Result"

type Given = Readonly<Record<string, string>>

/** A prompt in each language. `write`: its text, by the language that is usual. */
interface Prompt extends Described {
  readonly name: string
  readonly parameters: ReadonlyArray<Described & Omit<PromptParameter, "description">>
  readonly write: (usual: Language) => EditorPrompt["write"]
}

const parameter = (name: string, en: string, ja: string, isRequired = false) => ({
  name,
  description: { en, ja },
  isRequired,
})
const language = parameter(
  "language",
  "The language of the text: ja or en. Default: that of --language.",
  "文章の言語: ja または en。既定: --language の言語。",
)
const view = parameter(
  "view",
  "The view that shows the result, such as camera or front.",
  "結果を示す視点。例: camera、front。",
)

/** The text in the language that is asked for. */
const inLanguage =
  (ja: (given: Given) => string, en: (given: Given) => string): Prompt["write"] =>
  (usual) =>
  (given) => {
    const { language = usual } = given
    if (language === "ja") return Result.succeed(ja(given))
    if (language === "en") return Result.succeed(en(given))
    return Result.fail(`\`language\` is not valid: expected one of ${languages.join(", ")}.`)
  }

const show = {
  ja: ({ view }: Given) =>
    `終わったら scene_capturePreview${view === undefined ? "" : `（view: ${view}）`} で結果を確認してください。`,
  en: ({ view }: Given) =>
    `Then look at the result with scene_capturePreview${view === undefined ? "" : `, view "${view}"`}.`,
}

const optionally = (value: string | undefined, words: (value: string) => string) =>
  value === undefined || value.trim() === "" ? "" : words(value)

/** @param isCodeOn whether the text names the tool that runs Python */
const runCommand = (isCodeOn: boolean): Prompt => ({
  name: "runCommand",
  description: { en: "Carries out a command in the scene of Blender.", ja: "Blender のシーンで命令を実行します。" },
  parameters: [parameter("command", "What is to be done.", "実行するコマンド。", true), language, view],
  write: inLanguage(
    (given) =>
      `Blender のシーンで次のことをしてください: ${given["command"]}\n` +
      `まず blender://scene/context を読み、command_apply の手順で変更してください。${isCodeOn ? whereNoStep.ja : ""}${show.ja(given)}`,
    (given) =>
      `Do this in the scene of Blender: ${given["command"]}\n` +
      `Read blender://scene/context first, and make the changes with the steps of command_apply${isCodeOn ? whereNoStep.en : ""}. ${show.en(given)}`,
  ),
})

const whereNoStep = {
  ja: "手順で足りないときだけ command_executeRaw を使ってください。",
  en: "; use command_executeRaw only for what no step does",
}

const createObject: Prompt = {
  name: "createObject",
  description: { en: "Creates an object in Blender.", ja: "Blender にオブジェクトを作成します。" },
  parameters: [
    parameter("primitive", "What it is made from, such as cube.", "元になる形。例: cube。", true),
    parameter("name", "What it is called.", "オブジェクトの名前。"),
    parameter("material", "A material that is there, or a new one.", "既存または新しいマテリアル。"),
    parameter("description", "What it looks like, and where it is.", "見た目と位置。"),
    language,
    view,
  ],
  write: inLanguage(
    (given) =>
      `Blender に ${given["primitive"]} を 1 つ、command_apply の create で作成してください。` +
      optionally(given["name"], (name) => `名前は「${name}」です。`) +
      optionally(given["material"], (name) => `マテリアルは「${name}」です。`) +
      optionally(given["description"], (text) => `内容: ${text}。`) +
      show.ja(given),
    (given) =>
      `Create one ${given["primitive"]} in Blender, with the step create of command_apply. ` +
      optionally(given["name"], (name) => `Its name is "${name}". `) +
      optionally(given["material"], (name) => `Its material is "${name}". `) +
      optionally(given["description"], (text) => `It is like this: ${text}. `) +
      show.en(given),
  ),
}

const modifyObject: Prompt = {
  name: "modifyObject",
  description: { en: "Changes an object in Blender.", ja: "Blender のオブジェクトを変更します。" },
  parameters: [
    parameter("object", "The name of the object.", "オブジェクトの名前。", true),
    parameter("change", "What is to be different.", "変更したい点。", true),
    parameter("material", "The material that it gets.", "設定するマテリアル。"),
    language,
    view,
  ],
  write: inLanguage(
    (given) =>
      `Blender のオブジェクト「${given["object"]}」を次のように変更してください: ${given["change"]}。` +
      optionally(given["material"], (name) => `マテリアルは「${name}」にしてください。`) +
      `まず blender://object/${encodeURIComponent(given["object"] ?? "")} を読み、command_apply の手順で、ほかのオブジェクトはそのままにしてください。${show.ja(given)}`,
    (given) =>
      `Change the object "${given["object"]}" in Blender like this: ${given["change"]}. ` +
      optionally(given["material"], (name) => `Give it the material "${name}". `) +
      `Read blender://object/${encodeURIComponent(given["object"] ?? "")} first, use the steps of command_apply, and leave other objects as they are. ${show.en(given)}`,
  ),
}

/**
 * @param isCodeOn whether Python code of clients runs in Blender
 * @param language of descriptions, and of texts that name none
 */
export const prompts = (isCodeOn: boolean, language: Language): ReadonlyArray<EditorPrompt> =>
  [runCommand(isCodeOn), createObject, modifyObject].map(({ description, name, parameters, write }) => ({
    name,
    description: description[language],
    parameters: parameters.map(describedIn(language)),
    write: write(language),
  }))
