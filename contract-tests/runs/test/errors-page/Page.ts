/**
 * docs/errors.md, as far as it makes claims about errors.
 */

/**
 * A reason on the page.
 *
 * - `tag`, `reason`: its headings
 * - `messages`: the texts that it shows as printed
 * - `says`: what stands in code after a bold word of its list, such as **Delivery**; `undefined` where there is no such line
 */
export interface Section {
  readonly tag: string
  readonly reason: string
  readonly messages: ReadonlyArray<string>
  readonly says: (word: string) => ReadonlyArray<string> | undefined
}

/** The sections of the page, in their order. `tags`: what it has as a heading of the second level. */
export const read = (
  page: string,
  tags: ReadonlySet<string>,
): { readonly tags: ReadonlyArray<string>; readonly sections: ReadonlyArray<Section> } => {
  const chapters = page
    .split(/^## /mu)
    .slice(1)
    .map((chapter) => {
      const [title = ""] = chapter.split("\n", 1)
      return { title: title.trim(), parts: chapter.split(/^### /mu).slice(1) }
    })
    .filter(({ title }) => tags.has(title))
  return {
    tags: chapters.map(({ title }) => title),
    sections: chapters.flatMap(({ parts, title }) => parts.map((part) => section(title, part))),
  }
}

const section = (tag: string, part: string): Section => {
  const [reason = ""] = part.split("\n", 1)
  const items = part.split(/^- /mu).slice(1)
  return {
    tag,
    reason: reason.trim(),
    messages: [...part.matchAll(/^```text\n(.*?)\n```$/gmsu)].map(([, message = ""]) => message),
    says: (word) => {
      const item = items.find((text) => text.startsWith(`**${word}**: `))?.split("\n\n", 1)[0]
      return item === undefined ? undefined : [...item.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code)
    },
  }
}
