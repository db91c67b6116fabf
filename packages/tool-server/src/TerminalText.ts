/**
 * Text of documents, agents and file names as a terminal may show it: it says something, and drives nothing.
 */
import { stripVTControlCharacters } from "node:util"

/** Control and format characters, both directions of writing among them; halves of characters; and what ends lines. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** One line without anything that a terminal would obey. */
export const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
    .replace(unseen, "")
    .trim()

/** All that is not seen, or is seen as something else; a plain space is what it looks like, and a Braille one is not. */
const doubtful = /(?![ \n])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A text that somebody decides about: what cannot be seen is written out, such as `\u{1b}`. Lines stay. */
export const visible = (text: string): string =>
  text.replace(doubtful, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const segmenter = new Intl.Segmenter()

/** Two columns wide: the scripts of East Asia, full-width forms and emoji. */
const wide =
  /^(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u

const isPlain = /^[ -~]*$/

const widthOf = (character: string): number => {
  if (wide.test(character) || character.includes("\ufe0f")) return 2
  return /^\p{M}/u.test(character) ? 0 : 1
}

/** How many columns a clean text takes. */
export const width = (text: string): number =>
  isPlain.test(text)
    ? text.length
    : [...segmenter.segment(text)].reduce((sum, { segment }) => sum + widthOf(segment), 0)

/** The beginning of a clean text that fits, and … in place of the rest. */
export const clip = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  if (columns < 1) return ""
  return `${head(text, columns - 1)}…`
}

const head = (text: string, columns: number): string => {
  let taken = ""
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    used += widthOf(segment)
    if (used > columns) return taken
    taken += segment
  }
  return taken
}

/** A clean text in lines that fit, `most` of them; the last one is clipped. Words longer than a line are cut. */
export const wrap = (text: string, columns: number, most: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  // What can never be shown is not looked at.
  let rest = text.slice(0, columns * most * 4)
  while (rest !== "" && lines.length < most - 1) {
    if (width(rest) <= columns) return [...lines, rest]
    const cut = head(rest, columns)
    const space = rest[cut.length] === " " ? cut.length : cut.lastIndexOf(" ")
    const line = space > 0 ? rest.slice(0, space) : cut || rest.slice(0, 1)
    lines.push(line.trimEnd())
    rest = rest.slice(line.length).trimStart()
  }
  return rest === "" ? lines : [...lines, clip(rest, columns)]
}

/** Padded to a width. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))
