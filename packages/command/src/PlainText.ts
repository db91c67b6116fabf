/**
 * Makes untrusted text (of documents, agents, file names) safe for a terminal: without control sequences.
 * `@zain/core/TerminalText` escapes them instead.
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
