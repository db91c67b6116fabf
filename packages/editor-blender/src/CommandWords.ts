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

/** Words by their meaning, which stands behind the words for it. */
const meanings = (rows: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(rows).flatMap(([words, meaning]) => words.split(" ").map((word) => [word, meaning] as const)))

const primitives = meanings({
  "cube box 立方体 キューブ 箱": "cube",
  "sphere ball 球体 球": "sphere",
  "icosphere ico球": "icosphere",
  "cylinder 円柱": "cylinder",
  "cone 円錐": "cone",
  "torus donut トーラス ドーナツ": "torus",
  "plane 平面": "plane",
  "circle 円": "circle",
  "grid グリッド": "grid",
  "monkey サル モンキー": "monkey",
  "empty エンプティ": "empty",
  "text テキスト": "text",
})

const lights = meanings({
  "point ポイント 点": "point",
  "sun サン 太陽": "sun",
  "spot スポット": "spot",
  "area エリア 面": "area",
})

/** Colours in sRGB, as screens show them. */
const colours = meanings({
  "red 赤": "ff0000",
  "green 緑": "00a000",
  "blue 青": "0000ff",
  "yellow 黄色 黄": "ffff00",
  "orange オレンジ": "ff8000",
  "purple 紫": "8000c0",
  "pink ピンク": "ff80b0",
  "white 白": "ffffff",
  "black 黒": "000000",
  "gray grey 灰 グレー": "808080",
  "brown 茶": "804020",
  "cyan 水色": "00ffff",
  magenta: "ff00ff",
})

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
