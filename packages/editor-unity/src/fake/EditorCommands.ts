/**
 * The commands of `unity` on the editor: its state, scenes, assets, console, tests and pictures.
 */
import { numberOf, textOf } from "@zain/editor-link/fake/Params"
import { render } from "@zain/editor-link/fake/SceneImage"
import type { Command } from "./SceneCommands.ts"
import { failed, type UnityState } from "./UnityState.ts"

export const unityVersion = "6000.0.23f1"

/** How long Unity repeats its state, and after what time play mode begins and ends and it quits, in milliseconds. */
const [stateRepeats, playBegins, quits] = [250, 300, 100]

/** The size of a picture in pixels: usual, and at most. */
const [usualWidth, usualHeight, maxPixels] = [320, 180, 1024]

const stateNow = ({ isPlaying, isPaused }: UnityState) => ({
  isPlaying,
  isPaused,
  isCompiling: false,
  isUpdating: false,
  timeSinceStartup: Math.round(performance.now()) / 1000,
})

const editorState: Command = (_, state) => {
  if (state.snapshot === undefined) {
    state.snapshot = stateNow(state)
    state.around.later(stateRepeats, () => {
      state.snapshot = undefined
    })
  }
  return { state: state.snapshot, playability: { canPlay: true, reason: "ready" } }
}

/** Answers before anything happens. */
const play =
  (isPlaying: boolean): Command =>
  (_, state) => {
    if (state.isPlaying === isPlaying)
      return { message: `Play mode is ${isPlaying ? "on" : "off"} already`, state: stateNow(state) }
    state.around.later(playBegins, () => {
      Object.assign(state, { isPlaying, isPaused: false })
      state.around.playChanged()
    })
    return { message: `Scheduled in ${playBegins} ms`, state: stateNow(state) }
  }

const screenshot: Command = (params, state) => {
  const sized = (name: string, usual: number) => {
    const given = Math.trunc(numberOf(params, name, usual))
    return given <= 0 ? usual : Math.min(given, maxPixels)
  }
  const [width, height] = [sized("width", usualWidth), sized("height", usualHeight)]
  const captureMode = textOf(params, "captureMode", "game")
  const png = render(state.scene, width, height)
  const path = `${state.around.project()}/.unity/captures/${state.nextId("screenshot")}_${captureMode}.png`
  const base64 = params["encodeAsBase64"] === true ? { base64Data: png.toString("base64") } : {}
  return { path, captureMode, width, height, format: "PNG", fileSize: png.length, ...base64 }
}

const openScene = (state: UnityState, path: string) => {
  state.scenes.add(path)
  state.scene.begin(path.slice(path.lastIndexOf("/") + 1).replace(/\.unity$/, ""), path)
}

const sceneInfo = ({ scene }: UnityState) => ({
  sceneName: scene.name,
  scenePath: scene.path,
  isLoaded: true,
  isDirty: scene.isDirty,
  rootObjectsCount: scene.roots.length,
  totalObjectsCount: scene.all.length,
})

const testCounts = { totalTests: 3, passedTests: 3, failedTests: 0, skippedTests: 0, inconclusiveTests: 0 }

export const editorCommands: Readonly<Record<string, Command>> = {
  ping: (params) => ({ message: "pong", echo: params["message"] ?? null, timestamp: new Date().toISOString() }),
  get_editor_info: (_, { around }) => {
    const projectRoot = around.project()
    return {
      projectRoot,
      assetsPath: `${projectRoot}/Assets`,
      packagesPath: `${projectRoot}/Packages`,
      codeIndexRoot: `${projectRoot}/Library/CodeIndex`,
      unity: { version: unityVersion, platform: "LinuxEditor" },
    }
  },
  get_editor_state: editorState,
  play_game: play(true),
  stop_game: play(false),
  pause_game: (_, state) => {
    if (!state.isPlaying) return failed("Not in play mode", "PLAY_MODE_REQUIRED")
    state.isPaused = !state.isPaused
    return { message: state.isPaused ? "Paused" : "Resumed", state: stateNow(state) }
  },
  quit_editor: (_, { around }) => {
    around.later(quits, around.quit)
    return { message: "Quitting" }
  },
  refresh_assets: () => ({ message: "Refreshed", isCompiling: false }),
  get_compilation_state: () => ({
    isCompiling: false,
    isUpdating: false,
    messages: [],
    errorCount: 0,
    warningCount: 0,
  }),
  run_tests: (params, state) => {
    state.tests = { runId: state.nextId("run"), mode: textOf(params, "testMode", "EditMode"), asked: 0 }
    return { status: "running", runId: state.tests.runId, testMode: state.tests.mode }
  },
  // The first status is always `running`.
  get_test_status: (params, { tests }) => {
    if (tests === undefined) return { status: "idle", message: "No test run" }
    if (tests.asked++ === 0) return { status: "running", runId: tests.runId, testMode: tests.mode }
    const passed = ["Adds", "Subtracts", "Divides"].map((name) => ({
      name,
      fullName: `Game.Tests.${name}`,
      status: "Passed",
    }))
    const results = params["includeTestResults"] === true ? { results: passed } : {}
    return { status: "completed", success: true, runId: tests.runId, testMode: tests.mode, ...testCounts, ...results }
  },
  capture_screenshot: screenshot,
  capture_video_start: (params, state) => {
    if (state.recording !== undefined) return failed("A recording is already running", "E_RECORDING")
    const recordingId = state.nextId("recording")
    const outputPath = `${state.around.project()}/.unity/captures/${recordingId}.mp4`
    state.recording = { recordingId, outputPath }
    return { ...state.recording, captureMode: textOf(params, "captureMode", "game"), fps: numberOf(params, "fps", 30) }
  },
  capture_video_status: (_, { recording }) => ({ isRecording: recording !== undefined, ...recording }),
  capture_video_stop: (_, state) => {
    const { recording } = state
    if (recording === undefined) return failed("No recording is running", "E_NOT_RECORDING")
    state.recording = undefined
    return { ...recording, frames: 30, duration: 1 }
  },
  read_console: (params, { scene }) => {
    const types = Array.isArray(params["logTypes"]) ? params["logTypes"] : ["All"]
    const found = scene.console.filter(
      ({ type, message }) =>
        (types.includes("All") || types.includes(type)) && message.includes(textOf(params, "filterText")),
    )
    const newest = params["sortOrder"] === "oldest" ? found : found.toReversed()
    const logs = newest.slice(0, Math.max(0, numberOf(params, "count", 100)))
    return {
      logs: logs.map(({ type, message, at }) => ({ logType: type, message, timestamp: at })),
      count: logs.length,
      totalCaptured: scene.console.length,
    }
  },
  clear_console: (_, { scene }) => ({ success: true, clearedCount: scene.console.splice(0).length }),
  get_scene_info: (_, state) => sceneInfo(state),
  list_scenes: (_, state) => ({
    scenes: [...state.scenes].map((path) => ({ path, isLoaded: path === state.scene.path })),
    totalCount: state.scenes.size,
  }),
  create_scene: (params, state) => {
    const name = textOf(params, "sceneName")
    if (!/^[^/\\]+$/.test(name)) return failed(`Scene name is invalid: ${name}`)
    const path = `${textOf(params, "path", "Assets/Scenes/").replace(/\/?$/, "/")}${name}.unity`
    if (state.scenes.has(path)) return failed(`Scene already exists: ${path}`)
    state.scenes.add(path)
    if (params["loadScene"] !== false) openScene(state, path)
    return { ...sceneInfo(state), path }
  },
  load_scene: (params, state) => {
    const wanted = textOf(params, "scenePath") || textOf(params, "sceneName")
    const path = [...state.scenes].find((one) => one === wanted || one.endsWith(`/${wanted}.unity`))
    if (wanted === "" || path === undefined) return failed(`Scene not found: ${wanted}`)
    openScene(state, path)
    return sceneInfo(state)
  },
  save_scene: (params, state) => {
    state.scene.path = textOf(params, "scenePath", state.scene.path)
    state.scenes.add(state.scene.path)
    state.scene.isDirty = false
    return { ...sceneInfo(state), saved: true }
  },
  create_material: (params, { materials }) => {
    const materialPath = textOf(params, "materialPath")
    if (!/^Assets\/.*\.mat$/.test(materialPath)) return failed("materialPath must begin with Assets/ and end with .mat")
    if (materials.has(materialPath) && params["overwrite"] !== true)
      return failed(`Material already exists: ${materialPath}`)
    const properties = { ...materials.get(textOf(params, "copyFrom"))?.properties }
    const material = { shader: textOf(params, "shader", "Standard"), properties }
    Object.assign(properties, params["properties"])
    materials.set(materialPath, material)
    return { success: true, materialPath, ...material }
  },
  modify_material: (params, { materials }) => {
    const materialPath = textOf(params, "materialPath")
    const material = materials.get(materialPath)
    if (material === undefined) return failed(`Material not found: ${materialPath}`, "NOT_FOUND")
    material.shader = textOf(params, "shader", material.shader)
    Object.assign(material.properties, params["properties"])
    return { success: true, materialPath, ...material }
  },
  manage_tags: (params, { tags }) => {
    const tag = textOf(params, "tagName")
    if (params["action"] === "add") tags.add(tag)
    if (params["action"] === "remove") tags.delete(tag)
    return { action: params["action"] ?? "get", tags: [...tags], count: tags.size }
  },
  manage_selection: (params, state) => {
    if (params["action"] === "clear") state.selection = []
    if (params["action"] === "set") {
      const paths = Array.isArray(params["objectPaths"]) ? params["objectPaths"].map(String) : []
      state.selection = paths.filter((path) => state.scene.find(path) !== undefined)
    }
    return { action: params["action"] ?? "get", selection: state.selection, count: state.selection.length }
  },
  get_command_stats: (_, { scene }) => ({ objects: scene.all.length }),
}
