import { globSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, extname } from "node:path"
import { defineConfig } from "tsup"
import { commands } from "../../scripts/Bundles.ts"

const { resolve } = createRequire(new URL("../editor-unity/package.json", import.meta.url))

/** The thread that parses C#, and what it loads: the parser and the grammar, with their licences in the notices. */
const parser = {
  "zain-editor-csharp": "../editor-unity/src/scripts/CSharpThread.ts",
  "web-tree-sitter": resolve("web-tree-sitter/web-tree-sitter.wasm"),
  "tree-sitter-c_sharp": resolve("tree-sitter-c-sharp/tree-sitter-c_sharp.wasm"),
}

/** What GraphQL for Blender reads beside itself, and the Python that Blender runs. */
const documents = {
  schema: "../editor-blender/src/schema.graphql",
  ...Object.fromEntries(
    globSync("../editor-blender/bridge/zain_bridge/*.{py,toml,json}").map((file) => [
      `zain_bridge/${basename(file, extname(file))}`,
      file,
    ]),
  ),
}

export default defineConfig(
  commands("dist", { "zain-editor-mcp": "src/command/zain-editor-mcp.ts", ...parser, ...documents }).map((options) => ({
    ...options,
    loader: { ".wasm": "copy", ".graphql": "copy", ".py": "copy", ".toml": "copy" } as const,
  })),
)
