import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { type Given, player, project } from "../../testing/scripts/ScriptProjects.ts"

const found = ({ symbols }: Given): ReadonlyArray<string> =>
  symbols.map(({ kind, namePath }: Given) => `${kind} ${namePath}`)

describe("script_symbols_get", () => {
  test.live("lists types and members with kinds, paths, namespaces and lines", function* () {
    const { call } = yield* project({ "Assets/Player.cs": player })
    const given = yield* call("script_symbols_get", { path: "Assets/Player.cs" })
    assert.strictEqual(given.basis, "by syntax")
    assert.deepEqual(found(given), [
      "class Player",
      "field Player/speed",
      "field Player/jump",
      "property Player/Speed",
      "method Player/Update",
      "method Player/Boost",
      "enum Player/Mode",
      "enumMember Player/Mode/Walk",
      "enumMember Player/Mode/Run",
    ])
    assert.deepInclude(given.symbols[4], {
      namespace: "Game",
      line: 13,
      endLine: 17,
      signature: "private void Update()",
    })
  })

  test.live(
    "knows every kind of declaration, in either form of a namespace and in every branch of a condition",
    function* () {
      const { call } = yield* project({
        "Assets/A.cs": `namespace N.M;
interface I { int P { get; } } record R(int X, string Y); delegate void D(int a);
struct S { public S(int a) {} ~S() {} public int this[int i] => i; public static S operator +(S a, S b) => a; event Action E1, E2; event Action E3 { add {} remove {} } }
#if UNITY_EDITOR
class Edit {}
#else
class Play {}
#endif`,
      })
      const given = yield* call("script_symbols_get", { path: "Assets/A.cs" })
      assert.deepEqual(
        found(given).join("; "),
        "interface I; property I/P; record R; property R/X; property R/Y; delegate D; struct S; constructor S/S; destructor S/S; indexer S/this; operator S/operator +; event S/E1; event S/E2; event S/E3; class Edit; class Play",
      )
      assert.isTrue(given.symbols.every(({ namespace }: Given) => namespace === "N.M"))
    },
  )

  test.live("lists what it can of a broken file, and where it is broken", function* () {
    const { call } = yield* project({ "Assets/A.cs": "class A { void M( { } }\nclass B { }" })
    const given = yield* call("script_symbols_get", { path: "Assets/A.cs" })
    assert.include(found(given), "class B")
    assert.strictEqual(given.syntaxErrors[0].line, 1)
  })

  test.live.each([
    ["open braces", "{".repeat(100_000)],
    ["nested classes", `${"class A { ".repeat(20_000)}${"}".repeat(20_000)}`],
    ["open parentheses", `class A { int a = ${"(".repeat(100_000)}`],
    ["conditions", "#if A\n".repeat(20_000)],
    ["no text", "\u0000\u0001\ufffd".repeat(50_000)],
  ] as const)("gives a result for a file of %s", function* ([, text]) {
    const { call } = yield* project({ "Assets/A.cs": text })
    const given = yield* call("script_symbols_get", { path: "Assets/A.cs" })
    assert.isBelow(JSON.stringify(given).length, 400_000)
  })

  test.live("parses a file of 10,000 lines", function* () {
    const methods = Array.from({ length: 2_500 }, (_, at) => `  int M${at}(int a)\n  {\n    return a + ${at};\n  }\n`)
    const { call } = yield* project({ "Assets/A.cs": `class A {\n${methods.join("")}}\n` })
    const given = yield* call("script_symbols_get", { path: "Assets/A.cs" })
    assert.deepInclude(given, { total: 2_501, truncated: true })
  })
})

describe("script_symbol_find", () => {
  const files = {
    "Assets/A.cs": "class Player { void Jump() {} } enum JumpKind { High }",
    "Packages/own/B.cs": "class Enemy { void Jump() {} }",
    "Library/PackageCache/x@1/C.cs": "class Jumper {}",
  }

  test.live("finds a part of a name in any case, or the exact name", function* () {
    const { call } = yield* project(files)
    const given = yield* call("script_symbol_find", { name: "jump" })
    assert.deepEqual(found(given), ["method Player/Jump", "enum JumpKind", "method Enemy/Jump"])
    const exact = yield* call("script_symbol_find", { name: "Jump", exact: true })
    assert.deepEqual(found(exact), ["method Player/Jump", "method Enemy/Jump"])
    assert.strictEqual(exact.symbols[1].path, "Packages/own/B.cs")
  })

  test.live("finds by path of names, kind and scope", function* () {
    const { call } = yield* project(files)
    assert.deepEqual(found(yield* call("script_symbol_find", { name: "Enemy/Jump" })), ["method Enemy/Jump"])
    assert.deepEqual(found(yield* call("script_symbol_find", { name: "h", kind: "enum_member" })), [
      "enumMember JumpKind/High",
    ])
    assert.deepEqual(found(yield* call("script_symbol_find", { name: "Jump", scope: "library" })), ["class Jumper"])
  })

  test.live("sees changes of files", function* () {
    const { call, write } = yield* project(files)
    yield* call("script_symbol_find", { name: "Jump" })
    write("Assets/A.cs", "class Player { void Fly() {} void Swim() {} }")
    assert.deepEqual(found(yield* call("script_symbol_find", { name: "Jump", scope: "assets" })), [])
    assert.deepEqual(found(yield* call("script_symbol_find", { name: "Fly" })), ["method Player/Fly"])
  })
})
