/**
 * Makes untrusted text (of documents, agents, file names) safe for a terminal: without control sequences.
 */
import { stripVTControlCharacters } from "node:util"

/** Control and format characters, including those of text direction; lone surrogates; and line separators. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** Returns a text as one line without control characters. */
export const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
    .replace(unseen, "")
    .trim()

/** Characters that are invisible or look like another one, such as a Braille blank; except space and line feed. */
const doubtful = /(?![ \n])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Escapes invisible characters, such as `\u{1b}`, in a text that a person approves. Line breaks stay. */
export const visible = (text: string): string =>
  text.replace(doubtful, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
