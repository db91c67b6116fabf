import { assert, describe, it } from "@effect/vitest"
import * as ToolSelection from "@zain/editor-link/domain/ToolSelection"
import { Ajv2020 } from "ajv/dist/2020.js"
import { leftOut, toolsIn, unityTools } from "../src/UnityTools.ts"

const names = `
addressables_analyze addressables_build addressables_manage get_animator_runtime_info get_animator_state find_by_component
get_component_values get_gameobject_details get_object_references analyze_scene_contents manage_asset_database
analyze_asset_dependencies manage_asset_import_settings create_material modify_material create_prefab exit_prefab_mode
instantiate_prefab modify_prefab open_prefab save_prefab code_index_build code_index_status code_index_update
get_compilation_state add_component set_component_field get_component_types list_components modify_component remove_component
clear_console read_console manage_layers quit_editor manage_selection manage_tags manage_tools manage_windows create_gameobject
delete_gameobject find_gameobject get_hierarchy modify_gameobject add_input_action create_action_map remove_action_map
remove_input_action analyze_input_actions_asset get_input_actions_state add_input_binding create_composite_binding
remove_input_binding remove_all_bindings manage_control_schemes input_gamepad input_keyboard input_mouse input_system_control
input_touch execute_menu_item package_manager registry_config get_editor_state pause_game play_game stop_game
playmode_wait_for_state profiler_get_metrics profiler_start profiler_status profiler_stop create_scene get_scene_info
list_scenes load_scene save_scene analyze_screenshot capture_screenshot script_create_class script_edit_snippet
script_edit_structured script_packages_list script_read script_refactor_rename script_refs_find script_remove_symbol
script_search script_symbol_find script_symbols_get search_tools get_project_settings update_project_settings
get_command_stats ping refresh_assets get_test_status run_tests click_ui_element find_ui_elements get_ui_element_state
set_ui_element_value simulate_ui_input video_capture_for capture_video_start capture_video_status capture_video_stop`
  .trim()
  .split(/\s+/)

const toolOf = (name: string) => unityTools.find((tool) => tool.name === name) ?? assert.fail(name)

describe("the tools of unity", () => {
  it("are exactly the 107 names (editors 004.4)", () => {
    assert.strictEqual(names.length, 107)
    assert.sameMembers(
      unityTools.map(({ name }) => name),
      names,
    )
  })

  it("have schemas that are valid, of an object, without an empty `required` (editors 004.4)", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
    for (const { inputSchema, name } of unityTools) {
      assert.doesNotThrow(() => ajv.compile(inputSchema), undefined, name)
      assert.strictEqual(inputSchema["type"], "object", name)
      assert.notDeepEqual(inputSchema["required"], [], name)
    }
  })

  it("have a description in English and Japanese that helps to choose them, and a name that every client takes (editors 003.32)", () => {
    for (const { description, name } of unityTools) {
      assert.isTrue(description.length >= 40 && description.length <= 160, name)
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
    }
    assert.strictEqual(new Set(unityTools.map(({ description }) => description)).size, 107)
    const japanese = toolsIn("ja").map(({ description }) => description)
    assert.strictEqual(new Set(japanese).size, 107)
    for (const description of japanese) assert.match(description, /[\u3040-\u30ff].*。$/)
  })
})

describe("the arguments of a tool", () => {
  it.each<readonly [string, string, unknown, RegExp]>([
    ["a missing one", "add_component", { gameObjectPath: "/A" }, /^`componentType` is missing: expected a string\.$/],
    [
      "a wrong type",
      "create_gameobject",
      { position: { x: "1" } },
      /^`position\.x` is not valid: expected a number\.$/,
    ],
    [
      "a wrong word",
      "run_tests",
      { testMode: "Edit" },
      /^`testMode` is not valid: expected one of "EditMode", "PlayMode", "All"\.$/,
    ],
    ["a misspelt one", "get_hierarchy", { maxDeph: 1 }, /^"maxDeph" is unknown: known are .*maxDepth/],
    ["one in a list", "delete_gameobject", { paths: ["/A", 7] }, /^`paths\[1\]` is not valid: expected a string\.$/],
    ["no object", "ping", [], /^`arguments` is not an object\.$/],
  ])("%s is named with its path (editors 004.25)", async (_, name, args, problem) => {
    const read = await toolOf(name).read(args)
    assert.match(read._tag === "Failure" ? read.failure : "it was taken", problem)
  })

  it("are taken as they are where they fit", async () => {
    const args = { path: "/A", parentPath: null, position: { x: 1, y: 2, z: 3 } }
    const read = await toolOf("modify_gameobject").read(args)
    assert.strictEqual(read._tag === "Success" ? read.success : undefined, args)
  })

  it("inherited names of objects are unknown arguments", async () => {
    const read = await toolOf("clear_console").read(JSON.parse('{"__proto__":1}'))
    assert.strictEqual(read._tag, "Failure")
  })
})

describe("the scope of a tool", () => {
  it.each([
    ["get_hierarchy", {}, "read"],
    ["addressables_analyze", {}, "read"],
    ["capture_video_status", {}, "read"],
    ["capture_screenshot", {}, "execute"],
    ["addressables_build", { action: "build" }, "execute"],
    ["create_gameobject", {}, "write"],
    ["manage_asset_database", { action: "find_assets" }, "read"],
    ["manage_asset_database", { action: "delete_asset" }, "write"],
    ["package_manager", { action: "list" }, "read"],
    ["package_manager", { action: "install" }, "write"],
    ["registry_config", { action: "recommend" }, "read"],
    ["input_system_control", { operation: "get_state" }, "read"],
  ])("%s with %j is %s (editors 004.23)", (name, args, scope) => {
    assert.strictEqual(toolOf(name).scopeOf(args), scope)
  })
})

describe("the tools that a client is given", () => {
  const visible = (selection: ToolSelection.Selection) => ToolSelection.visible(unityTools, { leftOut, ...selection })

  it("are all of them where it has no limit, without call_tool", () => {
    assert.deepStrictEqual(visible({}), unityTools)
  })

  it.each([
    [100, 97],
    [40, 39],
  ])("are at most %i by whole categories: %i tools and call_tool (editors 004.19)", (max, count) => {
    const given = visible({ max }).map(({ name }) => name)
    assert.isAtMost(given.length, max)
    assert.strictEqual(given.length, count)
    assert.includeMembers(given, ["search_tools", "call_tool", "create_gameobject", "get_hierarchy"])
  })

  it("are two with isCompact, whose list is smaller than 2 KB (editors 004.19)", () => {
    const given = visible({ isCompact: true })
    assert.deepStrictEqual(
      given.map(({ name }) => name),
      ["search_tools", "call_tool"],
    )
    const listed = given.map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
    assert.isBelow(JSON.stringify(listed).length, 2_000)
  })

  it("are those of the categories that are included, or not excluded", () => {
    assert.deepStrictEqual(
      visible({ include: ["menu"] })
        .map(({ name }) => name)
        .sort(),
      ["call_tool", "execute_menu_item", "search_tools"],
    )
    assert.notInclude(
      visible({ exclude: ["video"] }).map(({ name }) => name),
      "capture_video_start",
    )
  })
})
