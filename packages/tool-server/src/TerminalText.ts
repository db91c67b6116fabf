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
