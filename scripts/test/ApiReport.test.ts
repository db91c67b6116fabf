import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as ApiReport from "../ApiReport.ts"
import { type Published, published } from "../Published.ts"

const manifest = {
  name: "@zain/birds",
  bin: { "zain-bird": "./dist/bird.js" },
  engines: { node: ">=22.19.0" },
  peerDependencies: { effect: "^4.1.0" },
  exports: {
    ".": { "zain-source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./*": { "zain-source": "./src/*.ts", types: "./dist/*.d.ts", default: "./dist/*.js" },
    "./Egg": null,
    "./Nest": { "zain-source": "./src/Nest.ts" },
    "./Ambient": null,
    "./Global": null,
    "./Sky": null,
    "./inner/*": null,
    "./inner/Song": { types: "./dist/inner/Song.d.ts", default: "./dist/inner/Song.js" },
  },
}

/** A package as it is built. `Egg` and `Nest` have no doors; `Parrot` uses something of the first. */
const built: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(manifest),
  "dist/index.d.ts": 'export * as Parrot from "./Parrot.ts";\n//# sourceMappingURL=index.d.ts.map',
  "dist/Parrot.d.ts": `/** Parrots. */
import type * as Effect from "effect/Effect";
import type { Shell, Yolk as Yellow } from "./Egg.ts";
/** How loud. */
export interface Options {
    /** In decibel. */
    readonly volume?: number;
    readonly name: string | undefined; // its own
}
export declare const say: (text: string, options?: Options) => Effect.Effect<string, Shell>;
export declare function fly(to: string): void;
export declare function fly(to: number): boolean;
export declare const hatch: (yolk: Yellow, at: import("./inner/Time.ts").Time) => void;
`,
  "dist/Egg.d.ts": `import * as Nest from "./Nest.ts";
export interface Shell { readonly color: Nest.Color; }
export interface Yolk { readonly size: number; }
export interface Unused { readonly nothing: true; }
`,
  "dist/Nest.d.ts": "export type Color = string;\nexport type Height = string;\n",
  "dist/inner/Time.d.ts": "export type Time = number;\n",
  "dist/inner/Song.d.ts": "export type Song = string;\n",
  "dist/inner/Hidden.d.ts": "export type Hidden = string;\n",
  // An ambient module applies to all users of the package, also if they import no name of it.
  "dist/Flight.d.ts": `import * as Nest from "./Nest.ts";
import * as Sky from "./Sky.ts";
import "./Ambient.ts";
export declare const both: typeof Sky & { readonly first: Sky.Blue; readonly Nest: Nest.Color };
`,
  "dist/Sky.d.ts": "export type Blue = 1;\nexport declare const clouds: 3;\n",
  "dist/Ambient.d.ts": `import type * as Global from "./Global.ts";
declare global { interface Window { readonly bird: Global.Bird; } }
declare module "effect/Effect" { interface Effect { readonly isBird: true; } }
export type Unmet = 1;
`,
  "dist/Global.d.ts": "export type Bird = 1;\nexport type NoBird = 2;\n",
  "dist/bird.js": 'console.log("Usage: zain-bird [--loud]")\n',
}

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "zain-api-"))
  write(built)
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, "packages/birds", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const library = () => published(root)[0] as Published

/** Runs the check after a file changed. */
const after = async (path: string, from: string, to: string): Promise<string> => {
  write({ "api.md": await ApiReport.page(root, library()) })
  const text = built[path] ?? ""
  assert.include(text, from)
  write({ [path]: text.replace(from, to) })
  return ApiReport.change(root, library())
}

describe("the page of a package", () => {
  it("has a section for every importable module, every module of their types, and every command", async () => {
    const page = await ApiReport.page(root, library())
    assert.deepStrictEqual(
      [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title),
      [
        "package.json",
        "Ambient (no door leads here, types do)",
        "Egg (no door leads here, types do)",
        "@zain/birds/Flight",
        "Global (no door leads here, types do)",
        "Nest (no door leads here, types do)",
        "@zain/birds/Parrot",
        "Sky (no door leads here, types do)",
        "@zain/birds",
        "@zain/birds/inner/Song",
        "inner/Time (no door leads here, types do)",
        "zain-bird --help",
      ],
    )
  })

  it("requires a build of the package", async () => {
    rmSync(join(root, "packages/birds/dist"), { recursive: true })
    const problem = await ApiReport.page(root, library()).then(String, String)
    assert.include(problem, "Run pnpm build first")
  })
})

describe("a change that users notice fails the check:", () => {
  const overloads = (built["dist/Parrot.d.ts"] ?? "").split("\n").filter((line) => line.includes("function fly"))
  it.each([
    ["a removed parameter", "dist/Parrot.d.ts", "(text: string, options?: Options)", "(text: string)"],
    ["a narrowed type", "dist/Parrot.d.ts", "string | undefined;", "string;"],
    ["a new required field", "dist/Parrot.d.ts", "readonly volume?", "readonly pitch: number;\n    readonly volume?"],
    ["a field that must be there now", "dist/Parrot.d.ts", "volume?: ", "volume: "],
    ["another order of overloads", "dist/Parrot.d.ts", overloads.join("\n"), [...overloads].reverse().join("\n")],
    ["a removed name", "dist/Parrot.d.ts", "export declare const hatch", "declare const hatch"],
    ["a type of a module without a door", "dist/Egg.d.ts", "size: number", "size: bigint"],
    ["a type that a type of a parameter names", "dist/Egg.d.ts", "readonly color", "readonly shade"],
    ["a type that a namespace brings", "dist/Nest.d.ts", "Color = string", 'Color = "brown"'],
    ["a name that comes from elsewhere now", "dist/Parrot.d.ts", 'from "effect/Effect"', 'from "effect/Stream"'],
    ["a module that has lost its door", "package.json", '"./Egg":null', '"./Egg":null,"./Parrot":null'],
    ["what a whole namespace brings, of which a member is named too", "dist/Sky.d.ts", "clouds: 3", "clouds: 4"],
    ["what is declared for all programs", "dist/Ambient.d.ts", "readonly bird", "readonly fish"],
    ["what is added to a module of others", "dist/Ambient.d.ts", "isBird: true", "isBird: false"],
    ["an older Node", "package.json", ">=22.19.0", ">=24"],
    ["another peer", "package.json", '"effect":"^4.1.0"', '"effect":"^4.2.0"'],
    ["a command of another name", "package.json", '"zain-bird":', '"zain-birds":'],
    ["a file that a door leads to", "package.json", "./dist/inner/Song.js", "./dist/inner/Sing.js"],
    ["an option of a command", "dist/bird.js", "--loud", "--quiet"],
  ])("%s", async (_, path, from, to) => {
    const said = await after(path, from, to)
    assert.include(said, "The API of @zain/birds is not the one that is committed")
    assert.match(said, /^\+\+\+ packages\/birds\/api\.md as built\n[\s\S]*^[-+][^-+]/m)
    assert.include(said, "pnpm api")
  })
})

describe("a change that users cannot notice passes the check:", () => {
  const imports = (built["dist/Parrot.d.ts"] ?? "").split("\n").filter((line) => line.startsWith("import"))
  it.each([
    ["nothing", "dist/Parrot.d.ts", "text", "text"],
    ["a comment", "dist/Parrot.d.ts", "In decibel.", "From 1 to 10."],
    ["a comment at the end of a line", "dist/Parrot.d.ts", "// its own", "// no other"],
    ["a comment more", "dist/Parrot.d.ts", "export declare const say", "/** Says. */\nexport declare const say"],
    ["reordered imports", "dist/Parrot.d.ts", imports.join("\n"), [...imports].reverse().join("\n")],
    ["reordered names of an import", "dist/Parrot.d.ts", "{ Shell, Yolk as Yellow }", "{ Yolk as Yellow, Shell }"],
    ["an import that nothing uses", "dist/Parrot.d.ts", "import", 'import { Unused } from "./Egg.ts";\nimport'],
    ["a type that only the package uses", "dist/Egg.d.ts", "nothing: true", "nothing: false"],
    ["a module that is not exported", "dist/inner/Hidden.d.ts", "string", "number"],
    [
      "code that has moved",
      "dist/Nest.d.ts",
      "Color = string;\nexport type Height",
      "Height = string;\nexport type Color",
    ],
    ["a type beside what is declared for all programs", "dist/Ambient.d.ts", "Unmet = 1", "Unmet = 2"],
    ["a type beside one that such a declaration names", "dist/Global.d.ts", "NoBird = 2", "NoBird = 3"],
  ])("%s", async (_, path, from, to) => assert.strictEqual(await after(path, from, to), ""))
})
