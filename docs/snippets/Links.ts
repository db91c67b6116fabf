/**
 * Where the links of a page lead, within the repository.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import * as Fences from "./Fences.ts"
import { root } from "./Pages.ts"
import type { Page, Problem } from "./Snippet.ts"

/** Links to files that are not there, to headings that their page does not have, and to names that it does not give. */
export const broken = ({ page, text }: Pick<Page, "page" | "text">): ReadonlyArray<Problem> => {
  const lines = Fences.without(text).split("\n").map(withoutCode)
  const names = new Set(lines.flatMap((line) => definition.exec(line)?.[1]?.toLowerCase() ?? []))
  return lines.flatMap((line, at) => {
    const problem = (message: string): Problem => ({ page, line: at + 1, message })
    const unknown = referencesOf(line).filter((name) => !names.has(name.toLowerCase()))
    return [
      ...targetsOf(line).flatMap((link) => {
        if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) return []
        const [path = "", heading] = link.split("#")
        const target = path === "" ? page : normalize(join(dirname(page), path))
        const message = wrong(target, heading, link, target === page ? text : undefined)
        return message === undefined ? [] : [problem(message)]
      }),
      ...unknown.map((name) => problem(`[${name}] is a link that leads nowhere: the page does not say where to`)),
    ]
  })
}

/** `[name]: target "title"`, but for footnotes. */
const definition = /^\s{0,3}\[(?!\^)([^\]]+)\]:\s*<?([^\s>]+)>?/

/** Where the links of a line lead: `](target "title")`, `](<target>)`, `[name]: target`, and those of HTML. */
const targetsOf = (line: string): ReadonlyArray<string> =>
  [
    ...line.matchAll(/\]\(\s*(?:<([^>]*)>|([^)\s]+))(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/g),
    ...line.matchAll(/<(?:a|img)\b[^>]*?\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi),
  ]
    .map(([, one, other]) => one ?? other ?? "")
    .concat(definition.exec(line)?.[2] ?? [])

/** The names in `[text][name]` and `[name][]`. */
const referencesOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/\[([^\]]+)\]\[([^\]]*)\]/g)].map(([, text = "", name = ""]) => (name === "" ? text : name))

const wrong = (
  target: string,
  heading: string | undefined,
  link: string,
  text: string | undefined,
): string | undefined => {
  const file = join(root, target)
  if (!existsSync(file)) return `${link} leads to no file`
  if (heading === undefined || statSync(file).isDirectory()) return undefined
  return headings(text ?? readFileSync(file, "utf8")).includes(heading) ? undefined : `${link} leads to no heading`
}

/** The names by which the headings of a page are reached, as GitHub makes them. */
export const headings = (text: string): ReadonlyArray<string> => {
  const times = new Map<string, number>()
  return Fences.without(text)
    .split("\n")
    .flatMap((line) => {
      const [, title] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? []
      if (title === undefined) return []
      const shown = title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      const name = shown
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-")
      const before = times.get(name) ?? 0
      times.set(name, before + 1)
      return [before === 0 ? name : `${name}-${before}`]
    })
}

/** The line without what stands in it as code. */
const withoutCode = (line: string) => line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, (code) => " ".repeat(code.length))
