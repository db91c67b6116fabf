import { defineConfig } from "tsup"

/** Two commands, each one file: a bundled command starts in a quarter of the CPU. */
export default defineConfig({
  entry: ["src/zain-codex-mcp.ts", "src/zain-claude-code-mcp.ts"],
  format: "esm",
  target: "node22",
  platform: "node",
  noExternal: [/.*/],
  splitting: true,
  sourcemap: true,
  clean: true,
  dts: false,
  esbuildOptions: (options) => {
    options.conditions = ["zain-source"]
  },
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
})
