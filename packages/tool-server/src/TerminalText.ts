/**
 * Text of documents, agents and file names without what a terminal obeys. `@zain/core/TerminalText` escapes it instead.
 */
import { stripVTControlCharacters } from "node:util"

/** Control and format characters, both directions of writing among them; halves of characters; and what ends lines. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** One line, without escape sequences and characters that cannot be seen. */
export const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
    .replace(unseen, "")
    .trim()
