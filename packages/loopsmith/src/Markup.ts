/**
 * Text from anywhere, made safe to stand in HTML and in SVG.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** What neither HTML nor XML can hold: control characters but tab and line breaks, and what is no character. */
const unspeakable = /[^\t\n\r\u0020-\u007E\u00A0-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** A text as it is read, whatever it holds: nothing of it is markup. Fit for content and for quoted attributes. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(unspeakable, "\uFFFD")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "")
