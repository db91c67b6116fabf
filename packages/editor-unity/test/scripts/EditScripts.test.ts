import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { player, project } from "../../testing/scripts/ScriptProjects.ts"

const replace = (target: string, newText: string) => ({
  operation: "replace",
  anchor: { type: "text", target },
  newText,
})

const path = "Assets/Player.cs"

describe("script_edit_snippet", () => {
  test.live("replaces, inserts and deletes in order, each at a text that stands exactly once", function* () {
    const { call, read } = yield* project({ [path]: "class A\n{\n    int a = 1;\n    int b = 2;\n}\n" })
    const given = yield* call("script_edit_snippet", {
      path,
      instructions: [
        replace("a = 1", "first = 10"),
        {
          operation: "insert",
          anchor: { type: "text", target: "    int first", position: "before" },
          newText: "    // numbers\n",
        },
        { operation: "insert", anchor: { type: "text", target: "int first = 10;" }, newText: " // ten" },
        { operation: "delete", anchor: { type: "text", target: "    int b = 2;\n" } },
      ],
    })
    assert.deepInclude(given, { applied: true, changed: true, basis: "by syntax" })
    assert.strictEqual(read(path), "class A\n{\n    // numbers\n    int first = 10; // ten\n}\n")
  })

  test.live.each([
    ["does not stand", "nothing like it"],
    ["stands more than once", "speed"],
  ] as const)("refuses an anchor that %s in the file, and leaves the file as it is", function* ([problem, target]) {
    const { read, refuse } = yield* project({ [path]: player })
    const error = yield* refuse("script_edit_snippet", {
      path,
      instructions: [replace("jump = 2f", "jump = 3f"), replace(target, "x")],
    })
    assert.include(error.message, `\`instructions[1].anchor.target\` ${problem}`)
    assert.strictEqual(read(path), player)
  })

  test.live("refuses an edit that breaks the syntax, with its place, and leaves nothing beside the file", function* () {
    const { read, refuse, root } = yield* project({ [path]: player })
    const error = yield* refuse("script_edit_snippet", { path, instructions: [replace("* 2;", "* ;")] })
    assert.include(error.message, "would break the syntax of Assets/Player.cs at line 21")
    assert.strictEqual(error.delivery, "not-sent")
    assert.strictEqual(error.details?.["line"], 21)
    assert.strictEqual(read(path), player)
    assert.deepEqual(readdirSync(join(root, "Assets")).sort(), [".keep", "Player.cs"])
  })

  test.live("mends a broken file step by step", function* () {
    const { call, read, refuse } = yield* project({ [path]: "class A {\n int a = ; int b = ;\n int c;\n}\n" })
    yield* call("script_edit_snippet", { path, instructions: [replace("a = ;", "a = 1;")] })
    const error = yield* refuse("script_edit_snippet", { path, instructions: [replace("c;", "c = (1;")] })
    assert.include(error.message, "line 3")
    yield* call("script_edit_snippet", { path, instructions: [replace("b = ;", "b = 2;")] })
    assert.strictEqual(read(path), "class A {\n int a = 1; int b = 2;\n int c;\n}\n")
  })

  test.live(
    "keeps line endings, byte order mark and permissions, and matches anchors across line endings",
    function* () {
      const { call, root } = yield* project({ [path]: "\uFEFFclass A\r\n{\r\n    int a;\r\n    int b;\r\n}\r\n" })
      chmodSync(join(root, path), 0o666)
      yield* call("script_edit_snippet", {
        path,
        instructions: [replace("int a;\n    int b;", "int c;\n    int d;\n    int e;")],
      })
      const after = readFileSync(join(root, path), "utf8")
      assert.strictEqual(after, "\uFEFFclass A\r\n{\r\n    int c;\r\n    int d;\r\n    int e;\r\n}\r\n")
      assert.strictEqual(statSync(join(root, path)).mode & 0o777, 0o666)
    },
  )

  test.live("changes no other line of a file with mixed line endings", function* () {
    const { call, read } = yield* project({ [path]: "class A\n{\r\n    int a;\r\n    int b;\n}\n" })
    yield* call("script_edit_snippet", { path, instructions: [replace("{\n    int a;\n", "{\n    int c;\n")] })
    assert.strictEqual(read(path), "class A\n{\n    int c;\n    int b;\n}\n")
  })

  test.live("writes nothing for a preview", function* () {
    const { call, read } = yield* project({ [path]: player })
    const given = yield* call("script_edit_snippet", { path, preview: true, instructions: [replace("* 2;", "* 3;")] })
    assert.deepInclude(given, { applied: false, changed: true })
    assert.include(given.edits[0].snippet, "speed * 3;")
    assert.strictEqual(read(path), player)
  })

  test.live(
    "writes neither to the package cache, nor through links out of the project, nor what is not UTF-8",
    function* () {
      const outside = yield* directory
      const cached = "Library/PackageCache/x@1/A.cs"
      const { refuse, root, write } = yield* project({ [cached]: player, "Assets/Bad.cs": Buffer.from([0xff, 0x41]) })
      write("Elsewhere.cs", player)
      symlinkSync("../Elsewhere.cs", join(root, "Assets/Out.cs"))
      symlinkSync(outside, join(root, "Packages"))
      const instructions = [replace("* 2;", "* 3;")]
      for (const [file, message] of [
        [cached, "Embed the package"],
        ["Assets/Out.cs", "through a link"],
        ["Packages/own/A.cs", "through a link"],
        ["Assets/Bad.cs", "is not valid UTF-8"],
      ] as const) {
        assert.include((yield* refuse("script_edit_snippet", { path: file, instructions })).message, message)
      }
      assert.strictEqual(readFileSync(join(root, "Elsewhere.cs"), "utf8"), player)
      assert.strictEqual(readFileSync(join(root, cached), "utf8"), player)
    },
  )

  test.live("writes to the file that a link within the project leads to, and keeps the link", function* () {
    const { call, read, root } = yield* project({ [path]: player })
    symlinkSync("Player.cs", join(root, "Assets/Link.cs"))
    yield* call("script_edit_snippet", { path: "Assets/Link.cs", instructions: [replace("* 2;", "* 3;")] })
    assert.include(read(path), "* 3;")
    assert.include(
      readdirSync(join(root, "Assets"), { withFileTypes: true })
        .filter((each) => each.isSymbolicLink())
        .map(({ name }) => name),
      "Link.cs",
    )
  })
})

describe("script_edit_structured", () => {
  test.live("replaces the body of a method, and nothing else", function* () {
    const { call, read } = yield* project({ [path]: player })
    const given = yield* call("script_edit_structured", {
      path,
      operation: "replace_body",
      symbolName: "Player/Boost",
      newText: "{\n            jump = speed;\n        }",
    })
    assert.deepInclude(given, { applied: true })
    assert.strictEqual(read(path), player.replace("this.speed = speed * 2;", "jump = speed;"))
  })

  test.live("replaces an arrow by a block, and accessors by an arrow", function* () {
    const { call, read } = yield* project({ [path]: "class A { int P => 1; int Q { get; set; } int M() => 2; }" })
    const edit = { path, operation: "replace_body" }
    yield* call("script_edit_structured", { ...edit, symbolName: "P", newText: "{ get { return 3; } }" })
    yield* call("script_edit_structured", { ...edit, symbolName: "Q", newText: "=> 4;" })
    yield* call("script_edit_structured", { ...edit, symbolName: "A/M", newText: "{ return 5; }" })
    assert.strictEqual(read(path), "class A { int P { get { return 3; } } int Q => 4; int M() { return 5; } }")
  })

  test.live("inserts lines before a declaration and its comments, and after it, as deep as it is", function* () {
    const { call, read } = yield* project({
      [path]: "class A\r\n{\r\n    /// <summary>One.</summary>\r\n    [Range(0, 1)]\r\n    int one; // first\r\n}\r\n",
    })
    const edit = { path, symbolName: "one" }
    yield* call("script_edit_structured", { ...edit, operation: "insert_before", newText: "int zero;\n" })
    yield* call("script_edit_structured", { ...edit, operation: "insert_after", newText: "void M()\n{\n}" })
    assert.strictEqual(
      read(path),
      "class A\r\n{\r\n    int zero;\r\n    /// <summary>One.</summary>\r\n    [Range(0, 1)]\r\n    int one; // first\r\n    void M()\r\n    {\r\n    }\r\n}\r\n",
    )
  })

  test.live.each([
    ["a body without braces", { operation: "replace_body", newText: "return;" }, "is not a body"],
    ["a body that does not end", { operation: "replace_body", newText: "{ if (true) { }" }, "would break the syntax"],
    [
      "a body that closes the class",
      { operation: "replace_body", newText: "{ } } class Other { void M() { }" },
      "would remove or move",
    ],
    ["text that is no declaration", { operation: "insert_after", newText: "speed = 3;;" }, "would break the syntax"],
    [
      "a symbol that is not there",
      { operation: "insert_after", newText: "int a;", symbolName: "Nothing" },
      "does not declare",
    ],
  ] as const)("refuses %s, and leaves the file as it is", function* ([, edit, message]) {
    const { read, refuse } = yield* project({ [path]: player })
    const error = yield* refuse("script_edit_structured", { path, symbolName: "Update", ...edit })
    assert.include(error.message, message)
    assert.strictEqual(read(path), player)
  })

  test.live("refuses a name that means several symbols, unless the kind makes it one", function* () {
    const { call, read, refuse } = yield* project({ [path]: "class A { void M() {} void M(int a) {} A() {} }" })
    const edit = { path, operation: "replace_body", newText: "{ return; }" }
    const error = yield* refuse("script_edit_structured", { ...edit, symbolName: "M" })
    assert.include(error.message, "means 2 symbols")
    yield* call("script_edit_structured", { ...edit, symbolName: "A", kind: "constructor" })
    assert.include(read(path), "A() { return; }")
  })
})
