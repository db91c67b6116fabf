/**
 * Makes the declarations of a package one file, which names no other package: `node ../../scripts/bundle-types.ts` in the
 * package's directory, after `tsc`. Declarations of others come without their comments.
 */
import { globSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { dts } from "rolldown-plugin-dts"

const dist = join(process.cwd(), "dist")
const file = "index.d.ts"

const bundle = await rolldown({
  cwd: process.cwd(),
  input: { index: join(dist, file) },
  external: [/^node:/],
  checks: { pluginTimings: false },
  plugins: [
    {
      name: "without comments of others",
      transform: (code, id) =>
        /\/node_modules\/effect\//.test(id)
          ? { code: code.replaceAll(/\/\*\*[\s\S]*?\*\//g, ""), map: null }
          : undefined,
    },
    dts({ dtsOnly: true, generator: "oxc" }),
  ],
})
const { output } = await bundle.generate({ format: "es" })
await bundle.close()
const [{ code }] = output

/**
 * A module with a value `Array` may name the type `Array` of the language. The bundler renames both; types keep their names
 * here.
 */
const named = ["Array", "PropertyKey"].reduce(
  (text, name) => text.replaceAll(new RegExp(`(?<!const |typeof )\\b${name}\\$1\\b`, "g"), name),
  code.replaceAll("Record$1<", "Record<"),
)
for (const old of globSync("**/*.d.ts{,.map}", { cwd: dist })) rmSync(join(dist, old))
writeFileSync(join(dist, file), named)

const others = [...named.matchAll(/^(?:import|export) .* from "([^"]+)"/gm)].map(([, from]) => from)
const left = others.filter((from) => !from?.startsWith("node:"))
if (left.length > 0) throw new Error(`${file} names other packages: ${left.join(", ")}`)
