/**
 * Reads the claims of docs/reference/errors.md: the reasons, their messages, deliveries and diagnostics.
 */

/** The sections of the page, in their order. `tags`: what it has as a heading of the second level. */
export const read = (page: string, tags: ReadonlySet<string>) => {
  const chapters = page.split(/^## /mu).flatMap((chapter) => {
    const [head = "", ...parts] = chapter.split(/^### /mu)
    const tag = titleOf(head)
    return tags.has(tag) ? [{ tag, sections: parts.map((part) => section(tag, part)) }] : []
  })
  return { tags: chapters.map(({ tag }) => tag), sections: chapters.flatMap(({ sections }) => sections) }
}

const titleOf = (text: string) => text.replace(/\n.*/su, "").trim()

/**
 * A reason on the page.
 *
 * - `tag`, `reason`: its headings
 * - `messages`: the lines of its blocks, one message each
 * - `says`: what stands in code after a bold word of its list, such as **Delivery**; `undefined` where there is no such line
 */
const section = (tag: string, part: string) => ({
  tag,
  reason: titleOf(part),
  messages: [...part.matchAll(/^```text\n(.*?)\n```$/gmsu)].flatMap(([, block = ""]) => block.split("\n")),
  says: (word: string): ReadonlyArray<string> | undefined => {
    const items = part.split(/^- /mu).slice(1)
    const item = items.find((text) => text.startsWith(`**${word}**: `))?.split("\n\n", 1)[0]
    return item === undefined ? undefined : [...item.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code)
  },
})

/** What differs from run to run, and what stands on the page in its place. */
const examples: ReadonlyArray<readonly [RegExp, string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "0b5b8a4c-7f0e-4d6a-9c1e-2f3a4b5c6d7e"],
  [/127\.0\.0\.1:\d+/g, "127.0.0.1:8931"],
  [/[^\s']*\/zain-test-\w+/g, "/srv/project"],
  [/[^\s']*\/zain-\w{6}\b/g, "/tmp/zain-k3X9aQ"],
]

/** A message as the page shows it. */
export const example = (message: string): string =>
  examples
    .reduce((text, [what, shown]) => text.replace(what, shown), message)
    .replaceAll(process.execPath, "/usr/bin/node")
