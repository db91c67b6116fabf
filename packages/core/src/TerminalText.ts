/**
 * Text of agents for a terminal: escaped, so that a person sees every character of what they decide about.
 */

/** Characters without a visible form of their own, and those that look like a plain space. */
const hidden = /(?![ \n])[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu

/**
 * Escapes control characters, which move the cursor or change colours, and characters that cannot be seen, such as those
 * that reverse the direction of text: each becomes its code point, such as `\u{1b}`. Plain spaces and line feeds stay.
 * Use it on text of an agent before printing it.
 *
 * @param text what an agent wrote, such as the `message` of a request for approval
 * @returns the text, with escapes
 *
 * @example
 * ```ts
 * import { TerminalText } from "@zain/core"
 *
 * console.log(TerminalText.visible("rm -rf ~\u001b[8m # hidden")) // rm -rf ~\u{1b}[8m # hidden
 * ```
 */
export const visible = (text: string): string =>
  text.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/**
 * Escapes as `visible` does, and line feeds too, as `\u{a}`: the result is one line, as an entry of a log must be.
 *
 * @param text what an agent wrote, such as the `message` of a request for approval
 * @returns one line, with escapes
 *
 * @example
 * ```ts
 * import { TerminalText } from "@zain/core"
 *
 * console.log(TerminalText.visibleLine("mkdir a\nrule: Approve")) // mkdir a\u{a}rule: Approve
 * ```
 */
export const visibleLine = (text: string): string => visible(text).replaceAll("\n", "\\u{a}")
