import { cpSync } from "node:fs"
import { createRequire } from "node:module"
import { defineConfig } from "tsup"
import { commands } from "../../scripts/Bundles.ts"

const { resolve } = createRequire(new URL("../editor-unity/package.json", import.meta.url))

/** The thread that parses C#, and what it loads: the parser and the grammar, with their licences in the notices. */
const parser = {
  "zain-editor-csharp": "../editor-unity/src/scripts/CSharpThread.ts",
  "web-tree-sitter": resolve("web-tree-sitter/web-tree-sitter.wasm"),
  "tree-sitter-c_sharp": resolve("tree-sitter-c-sharp/tree-sitter-c_sharp.wasm"),
}

/** What GraphQL for Blender reads beside itself. */
const documents = { schema: "../editor-blender/src/schema.graphql" }

/** The Python that Blender runs, and the schema of steps that it reads. */
const copyBridge = async () => {
  const filter = (path: string) => !path.includes("__pycache__")
  cpSync("../editor-blender/bridge/zain_bridge", "dist/zain_bridge", { recursive: true, filter })
}

export default defineConfig(
  commands("dist", { "zain-editor-mcp": "src/command/zain-editor-mcp.ts", ...parser, ...documents }).map((options) => ({
    ...options,
    loader: { ".wasm": "copy" as const, ".graphql": "copy" as const },
    onSuccess: copyBridge,
  })),
)
