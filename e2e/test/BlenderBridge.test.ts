import { describe } from "@effect/vitest"
import { bridge } from "../../packages/editor-blender/testing/HeadlessBlender.ts"
import { succeeds, withProgram } from "../src/InstalledPrograms.ts"

describe("the Blender bridge", () => {
  withProgram("black", "its Python is formatted by black", () =>
    succeeds("black", ["--check", "--quiet", "--diff", "."]),
  )

  withProgram("flake8", "flake8 finds nothing in its Python", () => succeeds("flake8", ["."]))

  withProgram("pytest-3", "its tests without Blender pass (editors 003.36)", () =>
    succeeds("pytest-3", ["-q", "-p", "no:cacheprovider"], / passed in /),
  )

  withProgram("blender", "its tests in Blender pass (editors 003.12, 003.36)", () =>
    succeeds("blender", ["-b", "--factory-startup", "--python", `${bridge}/tests/run_in_blender.py`], /^OK$/m),
  )

  withProgram("xvfb-run", "its tests in a Blender with a window pass (editors 003.34, 003.35)", () =>
    succeeds(
      "xvfb-run",
      [
        ...["-a", "-s", "-screen 0 640x480x24", "blender", "--factory-startup", "--enable-event-simulate"],
        ...["--python", `${bridge}/tests/run_in_window.py`],
      ],
      /^OK$/m,
    ),
  )

  withProgram("blender", "its guard refuses every attempt that acts without it (editors 003.12)", () =>
    succeeds("blender", ["-b", "--factory-startup", "-y", "--python", `${bridge}/tests/run_attacks.py`], /^OK$/m),
  )
})
