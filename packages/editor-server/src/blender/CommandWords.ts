/**
 * The words of commands, in Japanese and English: primitives, colours, directions, numbers, and which objects are meant.
 */
import type { Params } from "./Bridge.ts"

/** Full-width digits and brackets become plain, all quotation marks become one, and what is only polite is left out. */
export const plain = (command: string): string =>
  command
    .normalize("NFKC")
    .replace(/[「」『』“”„]/g, '"')
    .replace(/(?<=\d)、(?=[-+\d])/g, ",")
    .replace(/\s+/g, " ")
    .trim()
    // Without what is before it, each mark of a run begins an attempt that takes the rest of the run.
    .replace(/(?<![.!。!])[.!。!]+$/, "")
    .replace(/^please |,? please$/i, "")

const primitives: ReadonlyMap<string, string> = new Map([
  ...[
    "cube",
    "sphere",
    "icosphere",
    "cylinder",
    "cone",
    "torus",
    "plane",
    "circle",
    "grid",
    "monkey",
    "empty",
    "text",
  ].map((name) => [name, name] as const),
  ["box", "cube"],
  ["ball", "sphere"],
  ["donut", "torus"],
  ["立方体", "cube"],
  ["キューブ", "cube"],
  ["箱", "cube"],
  ["ico球", "icosphere"],
  ["球体", "sphere"],
  ["球", "sphere"],
  ["円柱", "cylinder"],
  ["円錐", "cone"],
  ["トーラス", "torus"],
  ["ドーナツ", "torus"],
  ["平面", "plane"],
  ["円", "circle"],
  ["グリッド", "grid"],
  ["サル", "monkey"],
  ["モンキー", "monkey"],
  ["エンプティ", "empty"],
  ["テキスト", "text"],
])

const lights: ReadonlyMap<string, string> = new Map([
  ...["point", "sun", "spot", "area"].map((name) => [name, name] as const),
  ["ポイント", "point"],
  ["点", "point"],
  ["サン", "sun"],
  ["太陽", "sun"],
  ["スポット", "spot"],
  ["エリア", "area"],
  ["面", "area"],
])

/** Colours in sRGB, as screens show them. */
const colours: ReadonlyMap<string, string> = new Map([
  ["red", "ff0000"],
  ["green", "00a000"],
  ["blue", "0000ff"],
  ["yellow", "ffff00"],
  ["orange", "ff8000"],
  ["purple", "8000c0"],
  ["pink", "ff80b0"],
  ["white", "ffffff"],
  ["black", "000000"],
  ["gray", "808080"],
  ["grey", "808080"],
  ["brown", "804020"],
  ["cyan", "00ffff"],
  ["magenta", "ff00ff"],
  ["赤", "ff0000"],
  ["緑", "00a000"],
  ["青", "0000ff"],
  ["黄色", "ffff00"],
  ["黄", "ffff00"],
  ["オレンジ", "ff8000"],
  ["紫", "8000c0"],
  ["ピンク", "ff80b0"],
  ["白", "ffffff"],
  ["黒", "000000"],
  ["灰", "808080"],
  ["グレー", "808080"],
  ["茶", "804020"],
  ["水色", "00ffff"],
])

/** Seen from the front, as Blender's views are named. */
const directions = new Map<string, readonly [axis: string, sign: number]>([
  ...["up", "上"].map((word) => [word, ["z", 1]] as const),
  ...["down", "下"].map((word) => [word, ["z", -1]] as const),
  ...["right", "右"].map((word) => [word, ["x", 1]] as const),
  ...["left", "左"].map((word) => [word, ["x", -1]] as const),
  ...["back", "backward", "backwards", "後ろ", "後", "奥"].map((word) => [word, ["y", 1]] as const),
  ...["forward", "forwards", "前", "手前"].map((word) => [word, ["y", -1]] as const),
  ...["x", "y", "z"].map((word) => [word, [word, 1]] as const),
])

const oneOf = (words: ReadonlyMap<string, unknown>) => [...words.keys()].join("|")

/** Parts of expressions. */
export const part = {
  number: String.raw`[-+]?\d{1,12}(?:\.\d{1,12})?`,
  vector: String.raw`\(?(?:[-+]?\d{1,12}(?:\.\d{1,12})?)(?:(?:\s?,\s?|\s)(?:[-+]?\d{1,12}(?:\.\d{1,12})?)){2}\)?`,
  length: String.raw`(?:\s?(?:mm|cm|m|metres?|meters?|メートル|センチ|ミリ))?`,
  primitive: oneOf(primitives),
  light: oneOf(lights),
  colour: `#[0-9a-f]{6}|${oneOf(colours)}`,
  direction: oneOf(directions),
} as const

const lower = (word: string | undefined) => word?.toLowerCase() ?? ""

export const primitive = (word: string | undefined): string | undefined => primitives.get(lower(word))
export const light = (word: string | undefined): string | undefined => lights.get(lower(word))

const linear = (hex: string): number => {
  const value = Number.parseInt(hex, 16) / 255
  return Math.round(1e4 * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) / 1e4
}

/** A word for a colour, or `#rrggbb`, as a linear colour. */
export const colour = (word: string | undefined): Params | undefined => {
  const hex = word?.startsWith("#") ? word.slice(1) : colours.get(lower(word))
  if (hex === undefined) return undefined
  return { r: linear(hex.slice(0, 2)), g: linear(hex.slice(2, 4)), b: linear(hex.slice(4, 6)), a: 1 }
}

/** Three numbers as a vector. */
export const vector = (text: string | undefined): Params | undefined => {
  const [x, y, z] = (text?.match(new RegExp(part.number, "g")) ?? []).map(Number)
  return z === undefined ? undefined : { x, y, z }
}

/** A number with a unit of length, in metres. */
export const metres = (text: string | undefined): number => {
  const factor = /mm|ミリ/.test(text ?? "") ? 0.001 : /cm|センチ/.test(text ?? "") ? 0.01 : 1
  return Number.parseFloat(text ?? "") * factor
}

/** So far in a direction. */
export const along = (word: string | undefined, distance: number): Params => {
  const [axis, sign] = directions.get(lower(word)) ?? ["z", 1]
  return { x: 0, y: 0, z: 0, [axis]: sign * distance }
}

const selection =
  /^(?:it|them|this|these|that|those|(?:the )?(?:current )?selection|(?:the )?selected(?: objects?| ones?)?|それ|それら|これ|これら|選択(?:中|した|されている|されたもの)?(?:の?オブジェクト|のもの|物|の物)?)$/i

const everything = /^(?:all|everything|all objects|すべて|全て|全部|全オブジェクト|すべてのオブジェクト)$/i

/** Words that begin another operation: what has them is no name, unless it stands in quotation marks. */
const furtherOperation = /\b(?:then|add|create|delete|duplicate|make|move|remove|rotate|scale|select|turn)\b/i

/**
 * Which objects are meant.
 *
 * @returns names; none of them means the selection; nothing where all objects are meant, whose names are not known, or more
 *   than objects
 */
export const objects = (text: string | undefined): ReadonlyArray<string> | undefined => {
  const meant = text?.trim() ?? ""
  if (meant === "" || selection.test(meant)) return []
  if (everything.test(meant) || furtherOperation.test(meant.replace(/"[^"]*"/g, ""))) return undefined
  return (meant.match(/"[^"]+"|(?:(?!,| and |、|(?<![ぁ-ん])と(?![ぁ-ん])|").)+/gi) ?? [])
    .map((name) =>
      name
        .trim()
        .replace(/^and\b/i, "")
        .replace(/^ *the /i, "")
        .trim(),
    )
    .map((name) => name.replace(/^"|"$/g, ""))
    .filter((name) => name !== "")
}
