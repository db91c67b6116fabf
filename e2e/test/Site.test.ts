/**
 * The site of docs/ as a reader finds it: under a path of its host, in the browser of this machine, without a network.
 */
import { execFileSync } from "node:child_process"
import { createReadStream, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as Programs from "../src/Programs.ts"

const title = "the site of docs/"
const chromiumPath = "/usr/bin/chromium"
const base = "/zain/"
/** In milliseconds, for each step of a page. */
const soon = 10_000
const site = mkdtempSync(join(tmpdir(), "zain-site-"))
afterAll(() => rmSync(site, { recursive: true, force: true }))

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
}

/** The file that answers a request for a path of the site; none where the site has no such file. */
const fileOf = (pathname: string): string | undefined => {
  if (!pathname.startsWith(base)) return undefined
  const path = join(site, decodeURIComponent(pathname.slice(base.length)), pathname.endsWith("/") ? "index.html" : "")
  return existsSync(path) ? path : undefined
}

const host = createServer(({ url = "" }, response) => {
  const path = fileOf(url.replace(/\?.*/, ""))
  if (path === undefined) return response.writeHead(404).end()
  const type = types[extname(path)] ?? "application/octet-stream"
  return createReadStream(path).pipe(response.writeHead(200, { "Content-Type": type, "Cache-Control": "max-age=600" }))
})

describe.skipIf(isSkipped(chromiumPath, title))(title, () => {
  const strayed: Array<string> = []
  let origin = ""
  let browser: Browser
  beforeAll(async () => {
    execFileSync("pnpm", ["run", "docs:site", "--base", base, "--outDir", site], { cwd: Programs.root, stdio: "pipe" })
    await new Promise<void>((listening) => void host.listen(0, "127.0.0.1", listening))
    origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    })
  })
  afterAll(async () => {
    await browser?.close()
    host.close()
  })

  const open = async (
    width: number,
    options: BrowserContextOptions = {},
  ): Promise<{ readonly context: BrowserContext; readonly page: Page }> => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, ...options })
    context.setDefaultTimeout(soon)
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin })
    context.on("request", (request) => {
      const url = new URL(request.url())
      if (url.origin !== origin || fileOf(url.pathname) === undefined) strayed.push(url.href)
    })
    return { context, page: await context.newPage() }
  }
  const pages = () =>
    globSync("**/*.html", { cwd: site })
      .filter((path) => path !== "404.html")
      .sort()

  it("has links that lead to pages and headings of the site", () => {
    const ids = new Map(
      pages().map((path) => {
        const html = readFileSync(join(site, path), "utf8")
        return [path, { html, ids: new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)) }] as const
      }),
    )
    const broken = [...ids].flatMap(([page, { html }]) =>
      [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = ""]) => {
        const { hash, origin: other, pathname } = new URL(href, `${origin}${base}${page}`)
        if (other !== origin) return []
        const target = ids.get(fileOf(pathname)?.slice(site.length + 1) ?? "")
        const isThere = target !== undefined && (hash === "" || target.ids.has(decodeURIComponent(hash.slice(1))))
        return isThere ? [] : [`${page}: ${href}`]
      }),
    )
    assert.isAbove(ids.size, 100)
    assert.deepStrictEqual(broken, [])
  })

  it("finds `openSession` by its search, and opens what it found", async () => {
    const { context, page } = await open(1280)
    await page.goto(`${origin}${base}`)
    await page.locator(".VPNavBarSearch button").click()
    await page.locator(".VPLocalSearchBox input").fill("openSession")
    await page.locator(".VPLocalSearchBox .result").first().click()
    await page.waitForURL((url) => url.pathname.length > base.length)
    const found = page.locator(".vp-doc", { hasText: "openSession" })
    await found.waitFor()
    assert.strictEqual(await found.count(), 1)
    await context.close()
  })

  it("copies an example as it stands on its page", async () => {
    const { context, page } = await open(1280)
    await page.goto(`${origin}${base}get-started/promises.html`)
    const example = page.locator(".vp-doc div[class*='language-']").first()
    await example.hover()
    await example.locator("button.copy").click()
    await page.waitForSelector("button.copied")
    const copied = String(await page.evaluate("navigator.clipboard.readText()"))
    assert.include(
      readFileSync(join(Programs.root, "docs/get-started/promises.md"), "utf8"),
      `\n${copied.trim()}\n\`\`\``,
    )
    await context.close()
  })

  /** On a wide screen a page of each layout. */
  const wide = ["index.html", "concepts/security.html", "reference/errors.html"]

  it.each([
    [1280, () => wide],
    [390, pages],
  ] as const)("scrolls no page sideways at a width of %i px", async (width, paths) => {
    // The layout is that of the HTML and its styles; scripts would only slow down the loading.
    const { context, page } = await open(width, { javaScriptEnabled: false })
    const scrolling: Array<string> = []
    for (const path of paths()) {
      await page.goto(`${origin}${base}${path}`)
      const excess = Number(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
      if (excess > 0) scrolling.push(`${path}: ${excess} px`)
    }
    assert.deepStrictEqual(scrolling, [])
    await context.close()
  })

  it("leads from page to page by its menu on a narrow screen", async () => {
    const { context, page } = await open(390)
    await page.goto(`${origin}${base}`)
    await page.locator(".VPLocalNav button.menu").click()
    await page.locator(".VPSidebar a[href$='get-started/promises.html']").click()
    await page.waitForURL(`${origin}${base}get-started/promises.html`)
    const heading = page.locator(".vp-doc h1", { hasText: "Get started with promises" })
    await heading.waitFor()
    assert.strictEqual(await heading.count(), 1)
    await context.close()
  })

  it("loads nothing but its own files", () => {
    assert.deepStrictEqual(strayed, [])
  })
})
