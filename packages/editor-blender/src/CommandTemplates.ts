/**
 * Commands in words that become steps without a model: one sentence, one operation.
 */
import type { Params } from "./Bridge.ts"
import * as Words from "./CommandWords.ts"
import type { Step } from "./Steps.ts"

export type Language = "ja" | "en"

type Groups = Readonly<Record<string, string | undefined>>

export interface Template {
  readonly name: string
  /** A matching command of each language. */
  readonly examples: Readonly<Record<Language, string>>
  readonly patterns: Readonly<Record<Language, ReadonlyArray<RegExp>>>
  /**
   * Of what an expression found; `target` is an object, and the steps are made for each. Nothing where the words mean
   * something else.
   */
  readonly steps: (found: Groups, targets: ReadonlyArray<string>) => ReadonlyArray<Step>
  readonly isOnObjects: boolean
}

const { colour, direction, length, light, number, primitive, vector } = Words.part

const english = (text: string) => new RegExp(`^${text}$`, "i")
/** How a Japanese command ends after its verb. */
const ending =
  "(?:させて|させる|する|して|した|し|って|り|る|きます|く|いて|せ|せて|し?ます)?(?:ください|下さい|くれ|ほしい|欲しい|ね|よ)*"
const japanese = (text: string) => new RegExp(`^${text}${ending}$`, "i")

const add = "(?:create|add|make|insert)"
const article = "(?:an? |the )?(?:new )?"
const named = '(?: (?:named|called) (?:"(?<quoted>[^"]+)"|(?<name>\\S+)))?'
const at = `(?: at (?<at>${vector}))?`
const ofJapanese = `(?:(?<before>${vector})に)?(?:新しい)?`
const making = `を(?:(?<at>${vector})に)?(?:作成|追加|生成|配置|作|置)`
const nameJapanese = '(?:"(?<quoted>[^"]+)"という(?:名前の)?)?'
/** A name that has を stands in quotation marks. */
const nameOrNames = '(?<object>(?:"[^"]+"|[^を"])+?)'
const objectJapanese = `(?:${nameOrNames}を)?`

const placed = ({ at: after, before }: Groups): Params => {
  const location = Words.vector(after ?? before)
  return location === undefined ? {} : { transform: { location } }
}

const nameOf = ({ name, quoted }: Groups): Params => {
  const found = quoted ?? name
  return found === undefined ? {} : { name: found }
}

const uniform = (factor: number): Params => ({ x: factor, y: factor, z: factor })

const degrees = Math.PI / 180
const angle = ({ angle: text = "" }: Groups): number =>
  Number.parseFloat(text) * (/rad|ラジアン/i.test(text) ? 1 : degrees)

const factorOf = ({ factor, word = "" }: Groups): number => {
  const times = factor === undefined ? (/half|halve|半分/i.test(word) ? 0.5 : 2) : Number.parseFloat(factor)
  return /smaller|縮小|小さ/i.test(word) && times > 1 ? 1 / times : times
}

export const templates: ReadonlyArray<Template> = [
  {
    name: "light",
    examples: { en: "add a point light at (1, 2, 3) with 500 W", ja: "(1, 2, 3)にポイントライトを追加" },
    patterns: {
      en: [
        english(
          `${add} ${article}(?:(?<light>${light}) )?(?:light|lamp)${named}${at}(?: with (?<watts>${number}) ?(?:w|watts?))?`,
        ),
      ],
      ja: [japanese(`${ofJapanese}${nameJapanese}(?<light>${light})?の?(?:ライト|光源|照明)${making}`)],
    },
    steps: (found) => [
      {
        light: {
          ...nameOf(found),
          type: Words.light(found["light"]) ?? "point",
          ...placed(found),
          ...(found["watts"] === undefined ? {} : { energy: Number(found["watts"]) }),
        },
      },
    ],
    isOnObjects: false,
  },
  {
    name: "camera",
    examples: { en: "add a camera at (7, -7, 5) looking at Cube", ja: "(7, -7, 5)にカメラを追加してCubeに向ける" },
    patterns: {
      en: [english(`${add} ${article}camera${named}${at}(?:,? (?:looking|pointing|aimed|facing) at (?<aim>.+))?`)],
      ja: [
        new RegExp(
          `^${ofJapanese}${nameJapanese}カメラ${making}(?:して|し|って|いて|り)?、?(?<aim>.+?)(?:の方)?(?:に|へ)向け(?:る|て|ます)?(?:ください|下さい)?$`,
          "i",
        ),
        japanese(`${ofJapanese}${nameJapanese}カメラ${making}`),
      ],
    },
    steps: (found) => {
      const { aim } = found
      const [object] = Words.objects(aim) ?? []
      const lookAt = aim === undefined ? undefined : new RegExp(`^${vector}$`).test(aim) ? Words.vector(aim) : object
      return [{ camera: { ...nameOf(found), ...placed(found), ...(lookAt === undefined ? {} : { lookAt }) } }]
    },
    isOnObjects: false,
  },
  {
    name: "create",
    examples: { en: "create a red cube named Box at (1, 2, 3)", ja: "赤い立方体を(1, 2, 3)に作成" },
    patterns: {
      en: [english(`${add} ${article}(?:(?<colour>${colour}) )?(?<primitive>${primitive})${named}${at}`)],
      ja: [
        japanese(
          `${ofJapanese}${nameJapanese}(?:(?<colour>${colour})(?:い|色の|の)?)?(?<primitive>${primitive})${making}`,
        ),
      ],
    },
    steps: (found) => {
      const color = Words.colour(found["colour"])
      const kind = Words.primitive(found["primitive"])
      const material = color === undefined ? {} : { material: { color } }
      return [{ create: { primitive: kind, ...nameOf(found), ...placed(found), ...material } }]
    },
    isOnObjects: false,
  },
  {
    name: "move",
    examples: { en: "move Cube to (1, 2, 3)", ja: "Cubeを上に2m移動" },
    patterns: {
      en: [
        english(`(?:move|put) (?<object>.+?) (?:to|at) (?<to>${vector})`),
        english(`(?:move|shift) (?<object>.+?) by (?<by>${vector})`),
        english(
          `(?:move|shift) (?<object>.+?) (?:by )?(?<distance>${number}${length}) (?:along |in )?(?:the )?(?<direction>${direction})(?: axis)?`,
        ),
        english(
          `(?:move|shift) (?<object>.+?) (?:along |in )?(?:the )?(?<direction>${direction})(?: axis)? (?:by )?(?<distance>${number}${length})`,
        ),
      ],
      ja: [
        japanese(`${objectJapanese}(?<to>${vector})(?:の位置)?(?:に|へ)(?:移動|動か)`),
        japanese(`${objectJapanese}(?<by>${vector})だけ(?:移動|動か)`),
        japanese(
          `${objectJapanese}(?<direction>${direction})(?:軸)?(?:方向)?(?:に|へ) ?(?<distance>${number}${length})(?:だけ)? ?(?:移動|動か)`,
        ),
      ],
    },
    steps: ({ by, direction: word, distance, to }, targets) =>
      targets.map((object) => ({
        transform:
          to === undefined
            ? { object, relative: true, location: Words.vector(by) ?? Words.along(word, Words.metres(distance)) }
            : { object, location: Words.vector(to) },
      })),
    isOnObjects: true,
  },
  {
    name: "turn",
    examples: { en: "rotate Cube by 45 degrees around z", ja: "CubeをZ軸で45度回転" },
    patterns: {
      en: [
        english(
          `(?:rotate|turn) (?<object>.+?) (?:by )?(?<angle>${number} ?(?:degrees?|deg|°|radians?|rad))(?: (?:around|about|on|along) (?:the )?(?<axis>[xyz])(?:[- ]axis)?)?`,
        ),
      ],
      ja: [
        japanese(
          `${objectJapanese}(?:(?<axis>[xyz])軸(?:で|に|周りに|まわりに|回りに|を中心に)? ?)?(?<angle>${number} ?(?:度|°|rad|ラジアン))(?:だけ)? ?(?:回転|回)`,
        ),
      ],
    },
    steps: (found, targets) =>
      targets.map((object) => ({
        transform: { object, relative: true, rotationEuler: Words.along(found["axis"] ?? "z", angle(found)) },
      })),
    isOnObjects: true,
  },
  {
    name: "scale",
    examples: { en: "scale Cube by 2", ja: "Cubeを2倍に拡大" },
    patterns: {
      en: [
        english(`scale (?<object>.+?) (?:by )?(?:a factor of )?(?<factor>${number})(?: times)?`),
        english(`make (?<object>.+?) (?<factor>${number}) times (?<word>bigger|larger|smaller)`),
        english(`(?<word>double|halve) (?:the size of )?(?<object>.+)`),
        english(`make (?<object>.+?) (?<word>twice|half) as (?:big|large)`),
      ],
      ja: [
        japanese(
          `(?:${nameOrNames}(?:の大きさ|のサイズ)?を)?(?<factor>${number})倍(?:に|の大きさに)?(?<word>拡大|縮小|大きく|スケール)?`,
        ),
        japanese(`(?:${nameOrNames}(?:の大きさ|のサイズ)?を)?(?<word>半分)(?:に|の大きさに)(?:縮小|小さく)?`),
      ],
    },
    steps: (found, targets) =>
      targets.map((object) => ({ transform: { object, relative: true, scale: uniform(factorOf(found)) } })),
    isOnObjects: true,
  },
  {
    name: "colour",
    examples: { en: "make Cube red", ja: "Cubeを赤にする" },
    patterns: {
      en: [
        english(`(?:make|paint|colou?r|turn|set) (?:the colou?r of )?(?<object>.+?) (?:to )?(?<colour>${colour})`),
        english(`change (?:the colou?r of )?(?<object>.+?) to (?<colour>${colour})`),
      ],
      ja: [
        japanese(`(?:${nameOrNames}(?:の色)?を)?(?<colour>${colour})(?:色)?(?:に|く)(?:変更|変えて?|塗|する|して)?`),
        japanese(`${nameOrNames}の色を(?<colour>${colour})(?:色)?(?:に|へ)(?:変更|変えて?|する|して)?`),
      ],
    },
    steps: ({ colour: word }, targets) =>
      targets.map((object) => ({ material: { object, color: Words.colour(word) } })),
    isOnObjects: true,
  },
  {
    name: "delete",
    examples: { en: "delete Cube and Light", ja: "Cubeを削除" },
    patterns: {
      en: [english("(?:delete|remove|erase) (?<object>.+)")],
      ja: [japanese(`${nameOrNames}を(?:削除|消去|除去|消)`)],
    },
    steps: (_, objects) => [{ delete: { objects } }],
    isOnObjects: true,
  },
  {
    name: "duplicate",
    examples: { en: "duplicate Cube 3 times", ja: "Cubeを3個複製" },
    patterns: {
      en: [english("(?:duplicate|copy|clone) (?<object>.+?)(?: (?<count>\\d{1,4}) times)?")],
      ja: [japanese(`${objectJapanese}(?:(?<count>\\d{1,4})(?:個|つ|回))?(?:複製|コピー)`)],
    },
    steps: ({ count }, targets) =>
      targets.map((object) => ({ duplicate: { object, ...(count === undefined ? {} : { count: Number(count) }) } })),
    isOnObjects: true,
  },
  {
    name: "select",
    examples: { en: "select Cube and Light", ja: "CubeとLightを選択" },
    patterns: {
      en: [english("select (?<object>.+)")],
      ja: [japanese(`${nameOrNames}を選択`)],
    },
    steps: (_, objects) => [{ select: { objects } }],
    isOnObjects: true,
  },
]
