/**
 * Where the links of a page lead, within the repository.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import * as Page from "./Page.ts"
import { root } from "./Pages.ts"

/** `](target "title")` and `](<target>)`, and what these pages do not use: links by name and those of HTML. */
const link = /\]\(\s*(?:<([^>]*)>|([^)\s]+))[^)]*\)|(\[[^\]]+\]\[[^\]]*\]|<(?:a|img)\b)/g

/** Links to files that do not exist and to headings that their page does not have. */
export const broken = ({
  page,
  prose,
  text,
}: Pick<Page.Page, "page" | "prose" | "text">): ReadonlyArray<Page.Problem> =>
  prose.split("\n").flatMap((line, at) => {
    const code = line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "")
    return [...code.matchAll(link)].flatMap(([, quoted, plain, other]) => {
      const message =
        other === undefined ? wrong(page, text, quoted ?? plain ?? "") : `write ${other} as [text](target)`
      return message === undefined ? [] : [{ page, line: at + 1, message }]
    })
  })

const wrong = (page: string, text: string, target: string): string | undefined => {
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return undefined
  const [path = "", heading] = target.split("#")
  const file = join(root, path === "" ? page : normalize(join(dirname(page), path)))
  if (!existsSync(file)) return `${target} leads to no file`
  if (heading === undefined || statSync(file).isDirectory()) return undefined
  const there = path === "" ? text : readFileSync(file, "utf8")
  return headings(Page.read(file, there).prose).includes(heading) ? undefined : `${target} leads to no heading`
}

/** The names by which the headings of a page are reached, as GitHub makes them. Of those with one name, only the first has it. */
const headings = (prose: string): ReadonlyArray<string> =>
  [...prose.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)].map(([, title = ""]) =>
    slug(title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")),
  )

/** The anchor of a heading, as GitHub makes it. */
export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")
