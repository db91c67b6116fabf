/**
 * The site of these pages. `pnpm docs:site --base /path/` builds it for a path of a host; `docs/README.md` orders its menu.
 */
import { globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { type DefaultTheme, defineConfig, type MarkdownOptions } from "vitepress"
import { slug } from "../snippets/Links.ts"

const docs = fileURLToPath(new URL("..", import.meta.url))
const repository = "https://github.com/zain-dev/zain"

/** Each section of the contents is a group of the menu, each link of it a page. */
const contents = (): Array<DefaultTheme.SidebarItem> =>
  readFileSync(join(docs, "README.md"), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf("\n")),
      items: [...section.matchAll(/\[([^\]]+)\]\(((?!\.\.)[^)#]+)\.md\)/g)].map(([, text = "", path = ""]) => ({
        text: text.replace(/`/g, ""),
        link: `/${path.replace(/README$/, "")}`,
      })),
    }))
    .filter(({ items }) => items.length > 0)

/** The public modules of each package, as typedoc wrote them. */
const modules = (): Array<DefaultTheme.SidebarItem> => {
  const files = globSync("@zain/*/**/*.md", { cwd: join(docs, "reference/api") }).sort()
  const packages = Object.groupBy(files, (file) => file.split("/", 2).join("/"))
  return Object.entries(packages).map(([name, pages = []]) => ({
    text: name,
    collapsed: true,
    items: pages.map((page) => ({ text: page.slice(name.length + 1, -".md".length), link: `/reference/api/${page}` })),
  }))
}

/** Links to files of the repository that are not pages of the site lead to GitHub. */
const rewriteLinks: MarkdownOptions["config"] = (md) => {
  md.core.ruler.push("rewrite-links", ({ env, tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href")
      if (href === null || /^([a-z]+:|#|\/)/.test(href)) continue
      const path = posix.normalize(posix.join("docs", posix.dirname(env.relativePath), href))
      const isPage = /^docs\/.*\.md(#|$)/.test(path)
      token.attrSet("href", isPage ? href.replace(/README\.md(?=#|$)/, "index.md") : `${repository}/blob/main/${path}`)
    }
  })
}

export default defineConfig({
  title: "Zain",
  description: "Drive coding agents through one small typed port over MCP.",
  srcExclude: ["typedoc/**", "snippets/**"],
  rewrites: (path) => path.replace(/README\.md$/, "index.md"),
  markdown: { config: rewriteLinks, anchor: { slugify: slug } },
  themeConfig: {
    search: { provider: "local" },
    sidebar: [
      ...contents(),
      { text: "Blender's GraphQL schema", link: "/reference/blender-graphql" },
      { text: "Modules", items: modules() },
    ],
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    footer: { message: "MIT licensed." },
  },
})
