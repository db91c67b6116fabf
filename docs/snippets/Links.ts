/**
 * Where the links of a page lead, within the repository.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { root } from "./Pages.ts"
import type { Page, Problem } from "./Snippet.ts"

/** Links to files that are not there, and to headings that their page does not have. */
export const broken = ({ page, text }: Pick<Page, "page" | "text">): ReadonlyArray<Problem> =>
  withoutCode(text)
    .split("\n")
    .flatMap((line, at) =>
      [...line.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
        if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return []
        const [path = "", heading] = link.split("#")
        const target = path === "" ? page : normalize(join(dirname(page), path))
        const message = wrong(target, heading, link, target === page ? text : undefined)
        return message === undefined ? [] : [{ page, line: at + 1, message }]
      }),
    )

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
  return withoutCode(text)
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

/** The page with empty lines in the place of its blocks of code. */
const withoutCode = (text: string) =>
  text.replace(/^[ \t]*(`{3,}|~{3,})[\s\S]*?^[ \t]*\1[ \t]*$/gm, (block) => block.replace(/[^\n]+/g, ""))
