import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { player, project } from "../../testing/scripts/ScriptProjects.ts"

const rename = (relative: string, namePath: string, newName: string, preview = false) =>
  ["script_refactor_rename", { relative, namePath, newName, preview }] as const

describe("script_refactor_rename", () => {
  test.live("renames a field where it is meant, and leaves parameters, texts and comments of the name", function* () {
    const { call, read } = yield* project({ "Assets/Player.cs": player })
    const given = yield* call(...rename("Assets/Player.cs", "Player/speed", "velocity"))
    assert.deepInclude(given, { applied: true, total: 4, basis: "by syntax" })
    const after = player
      .replace("float speed = 5f", "float velocity = 5f")
      .replace("=> speed;", "=> velocity;")
      .replace("forward * speed", "forward * velocity")
      .replace("this.speed = speed", "this.velocity = speed")
    assert.strictEqual(read("Assets/Player.cs"), after)
    assert.isTrue(given.notes.some((note: string) => note.includes('FormerlySerializedAs("speed")')))
  })

  test.live("is a preview by default: shows the changes and writes none", function* () {
    const { call, read } = yield* project({ "Assets/Player.cs": player })
    const given = yield* call("script_refactor_rename", {
      relative: "Assets/Player.cs",
      namePath: "Player/speed",
      newName: "velocity",
    })
    assert.deepInclude(given, { applied: false, total: 4 })
    assert.strictEqual(given.files[0].changes[3].snippet, "this.velocity = speed * 2;")
    assert.strictEqual(read("Assets/Player.cs"), player)
  })

  test.live("renames a type with its constructors, in all files and in every place of a type", function* () {
    const { call, read } = yield* project({
      "Assets/Foe.cs": "namespace G { public partial class Foe { public Foe() {} ~Foe() {} } }",
      "Assets/Foe2.cs": "namespace G { public partial class Foe { static Foe one; } }",
      "Assets/B.cs": `class B : G.Foe {
  List<G.Foe[]> all; Foe Make(Foe a) => new Foe();
  void M(object Foe2) { var b = (Foe)Foe2; if (Foe2 is Foe f) {} typeof(Foe).ToString(); nameof(Foe).ToString(); Foe.Go(); GetComponent<Foe>(); }
  void N(int Foe) { Foe++; x.Foe = 1; }
}`,
    })
    const given = yield* call(...rename("Assets/Foe.cs", "Foe", "Enemy"))
    assert.strictEqual(
      read("Assets/Foe.cs"),
      "namespace G { public partial class Enemy { public Enemy() {} ~Enemy() {} } }",
    )
    assert.strictEqual(read("Assets/Foe2.cs"), "namespace G { public partial class Enemy { static Enemy one; } }")
    assert.strictEqual(
      read("Assets/B.cs"),
      `class B : G.Enemy {
  List<G.Enemy[]> all; Enemy Make(Enemy a) => new Enemy();
  void M(object Foe2) { var b = (Enemy)Foe2; if (Foe2 is Enemy f) {} typeof(Enemy).ToString(); nameof(Enemy).ToString(); Enemy.Go(); GetComponent<Enemy>(); }
  void N(int Foe) { Foe++; x.Foe = 1; }
}`,
    )
    assert.isTrue(given.notes.some((note: string) => note.includes("Foe.cs to Enemy.cs in Unity")))
  })

  test.live("renames a method with its overrides and overloads, and not one of an unrelated type", function* () {
    const { call, read } = yield* project({
      "Assets/A.cs":
        "interface IHit { void Hit(); } class A : IHit { public virtual void Hit() {} public void Hit(int a) { Hit(); } }",
      "Assets/B.cs":
        "class B : A { public override void Hit() { base.Hit(); this.Hit(1); } } class C { void Hit() { Hit(); } void M(A a, C c) { a.Hit(); c.Hit(); a?.Hit(); } }",
    })
    yield* call(...rename("Assets/A.cs", "A/Hit", "Strike"))
    assert.strictEqual(
      read("Assets/A.cs"),
      "interface IHit { void Strike(); } class A : IHit { public virtual void Strike() {} public void Strike(int a) { Strike(); } }",
    )
    assert.strictEqual(
      read("Assets/B.cs"),
      "class B : A { public override void Strike() { base.Strike(); this.Strike(1); } } class C { void Hit() { Hit(); } void M(A a, C c) { a.Strike(); c.Hit(); a?.Strike(); } }",
    )
  })

  test.live("renames what the grammar takes for declarations and casts", function* () {
    const { call, read } = yield* project({
      "Assets/A.cs":
        "class A { int a, b; A c; void M() { f(a * b, 2); f(b < a, c > a); f((a) - 1); f(c.a * b); f(out a); f(this.a * b); var t = (b * a, a); } }",
    })
    yield* call(...rename("Assets/A.cs", "A/a", "z"))
    assert.strictEqual(
      read("Assets/A.cs"),
      "class A { int z, b; A c; void M() { f(z * b, 2); f(b < z, c > z); f((z) - 1); f(c.z * b); f(out z); f(this.z * b); var t = (b * z, z); } }",
    )
  })

  test.live(
    "renames uses in object initialisers, enum members and static members by the name of their type",
    function* () {
      const { call, read } = yield* project({
        "Assets/A.cs":
          "class A { public int n; public static int N; } enum E { n, N } class B { object M() { A.N++; var e = E.N; return new A { n = A.N }; } }",
      })
      yield* call(...rename("Assets/A.cs", "A/n", "count"))
      yield* call(...rename("Assets/A.cs", "E/N", "Second"))
      assert.strictEqual(
        read("Assets/A.cs"),
        "class A { public int count; public static int N; } enum E { n, Second } class B { object M() { A.N++; var e = E.Second; return new A { count = A.N }; } }",
      )
    },
  )

  test.live("renames nothing where it is unclear which of two members is meant", function* () {
    const files = {
      "Assets/A.cs": "class A { public void Go() {} }",
      "Assets/B.cs": "class B { public void Go() {} }\nclass C { void M() { Any().Go(); } }",
    }
    const { read, refuse } = yield* project(files)
    const error = yield* refuse(...rename("Assets/A.cs", "A/Go", "Run"))
    assert.include(error.message, "Nothing was renamed")
    assert.include(error.message, "Assets/B.cs:2")
    assert.strictEqual(read("Assets/A.cs"), files["Assets/A.cs"])
  })

  test.live("refuses a name that is none or taken, and a symbol that is not clear, and changes nothing", function* () {
    const text = "class A : B { int go, stop; A() {} void M() { int here = go; } } class FooAttribute {} class Twice {}"
    const { read, refuse } = yield* project({
      "Assets/A.cs": text,
      "Assets/B.cs": "class B { int based; } class C : A { int derived; } namespace N { class Twice {} }",
    })
    const wrong = [
      ["a keyword", "A/go", "class", "is not a C# identifier"],
      ["no identifier", "A/go", "a b", "is not a C# identifier"],
      ["a name that the type has", "A/go", "stop", "is declared already at Assets/A.cs:1"],
      ["a name that a base has", "A/go", "based", "is declared already at Assets/B.cs:1"],
      ["a name that a derived type has", "A/go", "derived", "is declared already at Assets/B.cs:1"],
      ["a name that a local has", "A/go", "here", "has a local `here`"],
      ["the same name", "A/go", "go", "is the name that it has"],
      ["a symbol that is not there", "A/gone", "x", "does not declare"],
      ["a constructor", "A/A", "x", "is a constructor"],
      ["a type of which there are two", "Twice", "x", "declares another type `Twice`"],
      ["an attribute", "FooAttribute", "BarAttribute", "is an attribute"],
    ] as const
    for (const [what, namePath, newName, message] of wrong)
      assert.include((yield* refuse(...rename("Assets/A.cs", namePath, newName))).message, message, what)
    assert.strictEqual(read("Assets/A.cs"), text)
  })

  test.live("changes a file once that also has a path through a link", function* () {
    const { call, read, root } = yield* project({ "Assets/A.cs": "class A { int go; int M() => go; }" })
    symlinkSync("A.cs", join(root, "Assets/Z.cs"))
    assert.deepInclude(yield* call(...rename("Assets/A.cs", "A/go", "run")), { total: 2 })
    assert.strictEqual(read("Assets/A.cs"), "class A { int run; int M() => run; }")
  })

  test.live("renames nothing while a script cannot be read, as a use could be in it", function* () {
    const { refuse } = yield* project({
      "Assets/A.cs": "class A { int go; }",
      "Assets/Large.cs": " ".repeat(2_097_153),
    })
    const error = yield* refuse(...rename("Assets/A.cs", "A/go", "run"))
    assert.include(error.message, "Not all scripts could be read")
  })

  test.live("lets two renames at once happen one after the other", function* () {
    const { call, read } = yield* project({ "Assets/A.cs": "class A { int one; int two; }" })
    yield* Effect.all(
      [call(...rename("Assets/A.cs", "one", "first")), call(...rename("Assets/A.cs", "two", "second"))],
      {
        concurrency: 2,
      },
    )
    assert.strictEqual(read("Assets/A.cs"), "class A { int first; int second; }")
  })
})

describe("script_remove_symbol", () => {
  const text = `using System;

class A
{
    int kept;

    /// <summary>Goes.</summary>
    [Obsolete]
    void Gone()
    {
        Gone();
    }

    int used, other;

    int M() => used;
}
`
  const path = "Assets/A.cs"

  test.live("removes an unused method with its comments and attributes, once apply is true", function* () {
    const { call, read } = yield* project({ [path]: text })
    const preview = yield* call("script_remove_symbol", { path, namePath: "A/Gone" })
    assert.deepInclude(preview, { applied: false })
    assert.include(preview.text, "Goes.")
    assert.strictEqual(read(path), text)
    yield* call("script_remove_symbol", { path, namePath: "A/Gone", apply: true })
    const [start, end] = [text.indexOf("    /// <summary>"), text.indexOf("    int used")]
    assert.strictEqual(read(path), text.slice(0, start) + text.slice(end))
  })

  test.live("refuses a symbol that is used, and says where, unless it is to remove it anyway", function* () {
    const { call, read, refuse } = yield* project({ [path]: text, "Assets/B.cs": "class B { int N(A a) => a.used; }" })
    const error = yield* refuse("script_remove_symbol", { path, namePath: "A/used", apply: true })
    assert.include(error.message, "Assets/A.cs:16, Assets/B.cs:1")
    assert.strictEqual(read(path), text)
    yield* call("script_remove_symbol", { path, namePath: "A/used", apply: true, failOnReferences: false })
    assert.strictEqual(read(path), text.replace("int used, other;", "int other;"))
  })

  test.live("removes the last of several variables, and a member of an enum, with their commas", function* () {
    const { call, read } = yield* project({ [path]: "class A { int a, b; }\nenum E\n{\n    One,\n    Two,\n}\n" })
    yield* call("script_remove_symbol", { path, namePath: "A/b", apply: true })
    yield* call("script_remove_symbol", { path, namePath: "E/One", apply: true })
    assert.strictEqual(read(path), "class A { int a; }\nenum E\n{\n    Two,\n}\n")
  })

  test.live("removes a file that is left without declarations only if it is asked to", function* () {
    const files = { [path]: "using System;\n\nnamespace N\n{\n    class Only { }\n}\n", "Assets/B.cs": "class B { }\n" }
    const { call, read } = yield* project(files)
    const kept = yield* call("script_remove_symbol", { path, namePath: "Only", apply: true })
    assert.deepInclude(kept, { fileRemoved: false })
    assert.strictEqual(read(path), "using System;\n\nnamespace N\n{\n}\n")
    const gone = yield* call("script_remove_symbol", {
      path: "Assets/B.cs",
      namePath: "B",
      apply: true,
      removeEmptyFile: true,
    })
    assert.deepInclude(gone, { fileRemoved: true })
    assert.throws(() => read("Assets/B.cs"), "ENOENT")
  })

  test.live("refuses a constructor, whose uses are not known by syntax", function* () {
    const { refuse } = yield* project({ [path]: "class A { A() {} }" })
    const error = yield* refuse("script_remove_symbol", { path, namePath: "A/A", apply: true })
    assert.include(error.message, "the uses of a constructor are not known")
  })
})
