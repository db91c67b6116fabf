/**
 * The tools of the fake of uLoopMCP, as Unity lists them.
 */

/** How Unity writes a parameter. `Enum`: the names, `DefaultValue`: of an enum's member its number, not its place. */
export interface LoopParameter {
  readonly Type: string
  readonly Description: string
  readonly DefaultValue: unknown
  readonly Enum: ReadonlyArray<string> | null
}

export interface LoopTool {
  readonly name: string
  readonly description: string
  readonly parameterSchema: {
    readonly Properties: Readonly<Record<string, LoopParameter>>
    readonly Required: ReadonlyArray<string>
  }
  readonly displayDevelopmentOnly: boolean
}

const tool = (
  name: string,
  description: string,
  Properties: Readonly<Record<string, LoopParameter>> = {},
  displayDevelopmentOnly = false,
): LoopTool => ({ name, description, parameterSchema: { Properties, Required: [] }, displayDevelopmentOnly })

const of = (Type: string) => (Description: string, DefaultValue: unknown) => ({
  Type,
  Description,
  DefaultValue,
  Enum: null,
})
const [text, number, flag, list, object] = ["string", "number", "boolean", "array", "object"].map(of) as [
  ReturnType<typeof of>,
  ReturnType<typeof of>,
  ReturnType<typeof of>,
  ReturnType<typeof of>,
  ReturnType<typeof of>,
]
const choice = (Description: string, DefaultValue: number, Enum: ReadonlyArray<string>) => ({
  Type: "string",
  Description,
  DefaultValue,
  Enum,
})

/** Known to Unity, but not listed: a call says that it is disabled. */
export const disabledTool = "unity-search"

/** Listed, but a call is refused by the security settings. */
export const blockedTool = "execute-dynamic-code"

export const loopTools: ReadonlyArray<LoopTool> = [
  tool("get-logs", "Reads the lines of the Unity console", {
    LogType: choice("Which lines", 3, ["Error", "Warning", "Log", "All"]),
    MaxCount: number("How many lines at most", 100),
    SearchText: text("Text that the lines contain", ""),
    IncludeStackTrace: flag("Whether the stack traces come too", false),
  }),
  tool("clear-console", "Clears the Unity console", {
    AddConfirmationMessage: flag("Whether a line says that the console was cleared", false),
  }),
  tool("compile", "Compiles the scripts of the project", {
    ForceRecompile: flag("Whether all scripts are compiled", false),
  }),
  tool("run-tests", "Runs the tests of the project", {
    // The member of the number 1 is EditMode.
    TestMode: choice("Which tests", 1, ["EditMode", "PlayMode"]),
    FilterType: choice("What FilterValue names", 0, ["all", "exact", "regex", "assembly"]),
    FilterValue: text("Which tests are run", ""),
    SaveXml: flag("Whether the results are written to a file", false),
  }),
  tool("get-hierarchy", "Lists the objects of the scene", {
    RootPath: text("The object to begin at", null),
    IncludeInactive: flag("Whether inactive objects are listed", true),
    IncludeComponents: flag("Whether the components are listed", true),
    MaxDepth: number("How deep; -1 for all", -1),
  }),
  tool("find-game-objects", "Finds objects of the scene", {
    NamePattern: text("The name, or a part of it", ""),
    SearchMode: choice("How the pattern is meant", 0, ["Exact", "Contains", "Regex"]),
    RequiredComponents: list("Components that each object has", []),
    Tag: text("The tag", null),
    MaxResults: number("How many objects at most", 20),
  }),
  tool("create-game-object", "Creates an object in the scene", {
    Name: text("The name", "GameObject"),
    PrimitiveType: choice("What it looks like", 0, ["Empty", "Cube", "Sphere", "Capsule", "Cylinder", "Plane", "Quad"]),
    ParentPath: text("The path of the parent", null),
    // Unity names a type `string` that it has no name for.
    Position: text("Where it is", { x: 0, y: 0, z: 0 }),
    Components: text("Further components", ["Transform"]),
    Scale: object("How large it is", null),
  }),
  tool("delete-game-object", "Deletes an object of the scene, and all below it", {
    Path: text("The path of the object", ""),
  }),
  tool("execute-menu-item", "Executes an item of the menu", {
    MenuItemPath: text("The path of the item", ""),
  }),
  tool("get-menu-items", "Lists the items of the menu", {
    FilterText: text("Text that the paths contain", ""),
    MaxCount: number("How many items at most", 200),
  }),
  tool("focus-window", "Brings the window of Unity to the front"),
  tool(blockedTool, "[BLOCKED] Runs C# code in the editor", {
    Code: text("The code", ""),
    Parameters: object("What the code is given", {}),
  }),
  tool("get-version", "Names the versions and the folders of the editor", {}, true),
  tool("ping", "Answers with the message", { Message: text("The message", "Hello") }, true),
]
