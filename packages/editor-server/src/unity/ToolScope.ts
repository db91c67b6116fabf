/**
 * What a tool does to the project: `read` changes nothing, and may be sent again; `execute` runs something; `write` is the rest.
 *
 * @see The 107 tools of `unity`
 */
import type { Arguments, Scope } from "../domain/Catalogue.ts"

const reading =
  /^(analyze_|find_|get_|list_)|^(search_tools|ping|read_console|profiler_get_metrics|playmode_wait_for_state)$|_(status|analyze)$|^script_(read|search|refs_find|symbol_find|symbols_get|packages_list)$/

const executing =
  /^(play|pause|stop)_game$|^(run_tests|quit_editor|refresh_assets|execute_menu_item|click_ui_element|simulate_ui_input|video_capture_for|code_index_update)$|^input_(keyboard|mouse|gamepad|touch|system_control)$|^capture_|^profiler_(start|stop)$|_build$/

/** Actions that change nothing, of tools that have others too. */
const readingAction = /^(get|list|find|analyze|validate)|^(search|info|recommend)$/

export const of = (name: string): Scope => {
  if (reading.test(name)) return "read"
  return executing.test(name) ? "execute" : "write"
}

/** The scope of a call: of some tools an argument decides. */
export const ofCall = (name: string, { action, operation }: Arguments): Scope => {
  const chosen = action ?? operation
  return typeof chosen === "string" && readingAction.test(chosen) ? "read" : of(name)
}

const destroying = /^(delete|remove|clear|quit|modify|update|set|script_remove|script_edit)_|_(manage|edit|remove)/

/** The annotations of a tool, as MCP has them. */
export const annotations = (name: string): Readonly<Record<string, boolean>> => {
  const isReading = of(name) === "read"
  return { readOnlyHint: isReading, destructiveHint: !isReading && destroying.test(name), idempotentHint: isReading }
}
