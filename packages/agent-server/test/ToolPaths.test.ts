import { assert, describe, it } from "@effect/vitest"
import * as ToolPaths from "../src/ToolPaths.ts"

const cases: ReadonlyArray<readonly [what: string, input: unknown, paths: ReadonlyArray<string>]> = [
  ["the usual name", { path: "/w/a", content: "/x" }, ["/w/a"]],
  ["a usual name in any spelling", { file_path: "/a", newPath: "/b", "working-directory": "/c" }, ["/a", "/b", "/c"]],
  ["a list", { paths: ["/a", "b"], exclude: ["/c"] }, ["/a", "b"]],
  ["nested arguments", { edits: [{ path: "/a" }, { path: "/b" }] }, ["/a", "/b"]],
  ["a repeated path", { path: "/a", target: "/a" }, ["/a"]],
  ["a relative path, and a path with ~", { path: "src/a.ts", cwd: "~/w" }, ["src/a.ts", "~/w"]],
  [
    "an ambiguous name whose value looks like a path",
    { source: "web", target: "./a", root: "C:\\w" },
    ["./a", "C:\\w"],
  ],
  ["a URI of a file", { uri: "file:///w/a%20b", url: "https://example.org/path" }, ["/w/a b"]],
  ["a path argument with a file's URI", { path: "FILE:///w/a" }, ["/w/a"]],
  ["the URI of a file on another host, unchanged", { uri: "file://other/a%2Fb" }, ["file://other/a%2Fb"]],
  ["a file URI without an absolute path, unchanged", { uri: "file:a" }, ["file:a"]],
  ["a URL", { path: "https://example.org/a", uri: "memory:a" }, []],
  ["no known name", { to: "/a", text: "/b" }, []],
  ["empty values", { path: "", paths: [], file: 1, dir: null }, []],
  ["no arguments", undefined, []],
]

describe("`pathsIn` a tool's arguments (docs/concepts/approvals.md#rules)", () => {
  it.each(cases)("finds the paths of %s", (_, input, paths) => {
    assert.deepStrictEqual(ToolPaths.pathsIn(input), paths)
  })

  it("returns `more` beyond its limits", () => {
    const paths = Array.from({ length: 65 }, (_, at) => `/w/${at}`)
    assert.deepStrictEqual(ToolPaths.pathsIn({ paths }), [...paths.slice(0, 64), ToolPaths.more])
    assert.deepStrictEqual(ToolPaths.pathsIn({ path: "/a", cwd: `/${"b".repeat(4096)}` }), ["/a", ToolPaths.more])
    let deep: unknown = { path: "/secret" }
    for (let at = 0; at < 10_000; at++) deep = { deep }
    assert.deepStrictEqual(ToolPaths.pathsIn(deep), [ToolPaths.more])
    const wide = { text: Array.from({ length: 20_000 }, () => "x"), path: "/secret" }
    assert.deepStrictEqual(ToolPaths.pathsIn(wide), [ToolPaths.more])
  })
})
