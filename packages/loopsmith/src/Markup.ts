/**
 * Escapes untrusted text for HTML and SVG.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Characters invalid in HTML and XML: control characters except tab and line breaks, and noncharacters. */
const unspeakable = /[^\t\n\r\u0020-\u007E\u00A0-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** The text without markup, for element content and quoted attributes. Invalid characters become U+FFFD. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(unspeakable, "\uFFFD")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "")
