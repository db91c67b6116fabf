import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { type Given, project } from "../../testing/scripts/ScriptProjects.ts"

const places = ({ files }: Given): ReadonlyArray<string> =>
  files.flatMap(({ path, references }: Given) =>
    references.map(({ certainty, line }: Given) => `${path}:${line}${certainty ? ` ${certainty}` : ""}`),
  )

describe("script_refs_find", () => {
  test.live("finds a name in code, not in comments, texts, longer names and local variables", function* () {
    const { call } = yield* project({
      "Assets/A.cs": `class A {
  int hits;
  void M() { hits = 1; this.hits++; }
  void N(int hits) { hits = 2; }
  // hits
  string s = "hits"; string t = $"{hits}";
  int myhits, hits2;
}`,
    })
    const given = yield* call("script_refs_find", { name: "hits", maxMatchesPerFile: 50 })
    assert.deepEqual(places(given), ["Assets/A.cs:2", "Assets/A.cs:3", "Assets/A.cs:3", "Assets/A.cs:6"])
    assert.deepInclude(given.files[0].references[0], { declaration: "field", in: "A" })
    assert.deepInclude(given.files[0].references[1], { in: "A/M", column: 14 })
  })

  test.live("tells members of two types apart by container, as far as the files name the types", function* () {
    const { call } = yield* project({
      "Assets/A.cs": "class A { public void Go() {} void M() { Go(); } }",
      "Assets/B.cs": "class B { public void Go() {} void M() { Go(); this.Go(); } }",
      "Assets/C.cs": `class C : A {
  A a; B b;
  void M(A one) {
    a.Go();
    b.Go();
    one.Go();
    Go();
    new B().Go();
    GetComponent<A>().Go();
    transform.Go();
    Any().Go();
  }
}`,
    })
    const given = yield* call("script_refs_find", { name: "Go", container: "A", maxMatchesPerFile: 50 })
    const inC = [4, 6, 7, 9].map((line) => `Assets/C.cs:${line}`)
    assert.deepEqual(places(given), ["Assets/A.cs:1", "Assets/A.cs:1", ...inC, "Assets/C.cs:11 unclear"])
    assert.deepInclude(given.declarations[0], { namePath: "A/Go", path: "Assets/A.cs" })
  })

  test.live("keeps within pageSize, maxMatchesPerFile and maxBytes, and says so", function* () {
    const text = `class A { void M() { ${"Go();\n".repeat(30)} } }`
    const { call } = yield* project({ "Assets/A.cs": text, "Assets/B.cs": text, "Assets/C.cs": text })
    const few = yield* call("script_refs_find", { name: "Go", maxMatchesPerFile: 2, pageSize: 3 })
    assert.deepEqual(places(few), ["Assets/A.cs:1", "Assets/A.cs:2", "Assets/B.cs:1"])
    assert.deepInclude(few, { total: 3, truncated: true })
    assert.strictEqual(few.files[0].total, 30)
    const short = yield* call("script_refs_find", { name: "Go", maxBytes: 600 })
    assert.deepInclude(short, { truncated: true })
    assert.isBelow(JSON.stringify(short.files).length, 700)
  })

  test.live("refuses filters that no declaration matches", function* () {
    const { refuse } = yield* project({ "Assets/A.cs": "class A { void Go() {} }" })
    const error = yield* refuse("script_refs_find", { name: "Go", container: "B" })
    assert.include(error.message, "No declaration of `Go` matches the filters")
  })
})
