/** Tools on the editor itself: play mode, console, tests, profiler. */
import type { Row } from "../ToolNotation.ts"

export const editorTools: ReadonlyArray<Row> = [
  {
    name: "get_compilation_state",
    category: "compilation",
    description: "Reports whether scripts are compiling, and their errors and warnings.",
    parameters: "{includeMessages:boolean, maxMessages:number}",
  },
  {
    name: "clear_console",
    category: "console",
    description: "Clears Unity's console, and sets when it clears itself.",
    parameters:
      "{clearOnPlay:boolean, clearOnRecompile:boolean, clearOnBuild:boolean, preserveWarnings:boolean, preserveErrors:boolean}",
  },
  {
    name: "read_console",
    category: "console",
    description: "Reads messages of Unity's console, filtered by type, text and time.",
    parameters:
      '{raw:boolean, count:number, logTypes:["Log"|"Warning"|"Error"], filterText:string, includeStackTrace:boolean, format:"detailed"|"compact"|"json"|"plain", sinceTimestamp:string, untilTimestamp:string, sortOrder:"newest"|"oldest", groupBy:"none"|"type"|"file"|"time"}',
  },
  {
    name: "manage_layers",
    category: "editor",
    description: "Reads, adds or removes the project's layers.",
    parameters: '{action!:"add"|"remove"|"get"|"get_by_name"|"get_by_index", layerName:string, layerIndex:number}',
  },
  {
    name: "quit_editor",
    category: "editor",
    description: "Closes the Unity editor. Unsaved work is lost.",
    parameters: "{}",
  },
  {
    name: "manage_selection",
    category: "editor",
    description: "Reads, sets or clears the selection in the editor.",
    parameters: '{action!:"get"|"set"|"clear"|"get_details", objectPaths:[string], includeDetails:boolean}',
  },
  {
    name: "manage_tags",
    category: "editor",
    description: "Reads, adds or removes the project's tags.",
    parameters: '{action!:"add"|"remove"|"get", tagName:string}',
  },
  {
    name: "manage_tools",
    category: "editor",
    description: "Reads, activates or deactivates the editor's tools.",
    parameters: '{action!:"get"|"activate"|"deactivate"|"refresh", toolName:string, category:string}',
  },
  {
    name: "manage_windows",
    category: "editor",
    description: "Lists the editor's windows, or brings one to the front.",
    parameters: '{action!:"get"|"focus"|"get_state", windowType:string, includeHidden:boolean}',
  },
  {
    name: "execute_menu_item",
    category: "menu",
    description: "Chooses an item of the editor's menu, or lists the items that there are.",
    parameters:
      '{menuPath!:string, action:"execute"|"get_available_menus", alias:string, parameters:object, safetyCheck:boolean}',
  },
  {
    name: "get_editor_state",
    category: "playmode",
    description: "Reads whether the editor plays, is paused or compiles; waits for a state on request.",
    parameters: "{waitFor:{isPlaying!:boolean}, timeoutMs:number, pollMs:number}",
  },
  {
    name: "pause_game",
    category: "playmode",
    description: "Pauses the game in Play Mode, or resumes it.",
    parameters: "{}",
  },
  {
    name: "play_game",
    category: "playmode",
    description: "Enters Play Mode, and waits until the game runs, also through a domain reload.",
    parameters: "{}",
  },
  {
    name: "stop_game",
    category: "playmode",
    description: "Leaves Play Mode, and waits until the editor is back in Edit Mode.",
    parameters: "{}",
  },
  {
    name: "playmode_wait_for_state",
    category: "playmode",
    description: "Waits until the editor is, or is not, in Play Mode.",
    parameters: "{isPlaying!:boolean, timeoutMs:number, pollMs:number}",
  },
  {
    name: "profiler_get_metrics",
    category: "profiler",
    description: "Reads profiler metrics, or lists those that are available.",
    parameters: "{listAvailable:boolean, metrics:[string]}",
  },
  {
    name: "profiler_start",
    category: "profiler",
    description: "Starts a profiler recording, normal or deep.",
    parameters: '{mode:"normal"|"deep", recordToFile:boolean, metrics:[string], maxDurationSec:number}',
  },
  {
    name: "profiler_status",
    category: "profiler",
    description: "Reports whether the profiler records, and for how long.",
    parameters: "{}",
  },
  {
    name: "profiler_stop",
    category: "profiler",
    description: "Stops a profiler recording and returns what it measured.",
    parameters: "{sessionId:string}",
  },
  {
    name: "search_tools",
    category: "search",
    description: "Searches these tools by words, category, tag or scope, with schemas on request.",
    parameters:
      '{query:string, category:string, tags:[string], scope:"read"|"write"|"execute", limit:number, includeSchemas:boolean}',
  },
  {
    name: "get_command_stats",
    category: "system",
    description: "Reads how often each command ran in Unity, and how long it took.",
    parameters: "{}",
  },
  {
    name: "ping",
    category: "system",
    description: "Tests the connection to Unity, and repeats a message.",
    parameters: "{message:text}",
  },
  {
    name: "refresh_assets",
    category: "system",
    description: "Has Unity import changed assets and compile changed scripts.",
    parameters: "{}",
  },
  {
    name: "get_test_status",
    category: "test",
    description: "Reads the state and the results of the test run.",
    parameters: "{includeTestResults:boolean, includeFileContent:boolean}",
  },
  {
    name: "run_tests",
    category: "test",
    description: "Runs tests of the project in Edit Mode or Play Mode, and waits for the results.",
    parameters:
      '{testMode:"EditMode"|"PlayMode"|"All", filter:string, category:string, namespace:string, includeDetails:boolean, exportPath:string, wait:boolean}',
  },
]
