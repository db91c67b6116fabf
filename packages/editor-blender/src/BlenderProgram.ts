/**
 * Where Blender is, and the environment that it is started with.
 */
import { join } from "node:path"
import type { Environment } from "@zain/command/OptionTable"
import * as Environments from "@zain/process/Environment"
import * as ProgramPath from "@zain/process/ProgramPath"
import { homeOf } from "@zain/process/StateFiles"

/** Where installers put it that leave PATH as it is. */
const usualPlaces = (env: Environment): ReadonlyArray<string> => {
  const inside = "Blender.app/Contents/MacOS/Blender"
  if (process.platform === "darwin") return [join("/Applications", inside), join(homeOf(env), "Applications", inside)]
  if (process.platform !== "win32") return []
  const programs = join(env["PROGRAMFILES"] ?? "C:\\Program Files", "Blender Foundation")
  return ["5.0", "4.5", "4.4", "4.3", "4.2", "4.1", "4.0", "3.6"].map((version) =>
    join(programs, `Blender ${version}`, "blender.exe"),
  )
}

/** The whole path of `BLENDER_PATH`, else of `blender`; or one sentence on why there is none. */
export const find = (env: Environment): { readonly path: string } | { readonly problem: string } => {
  const named = env["BLENDER_PATH"]?.trim() ?? ""
  const places = named === "" ? ["blender", ...usualPlaces(env)] : [named]
  const [path] = places.flatMap((place) => ProgramPath.find(place, env) ?? [])
  if (path !== undefined) return { path }
  return {
    problem: named === "" ? "there is no program blender on PATH." : `BLENDER_PATH names no program: ${named}.`,
  }
}

/** Variables that Blender reads, beside those of every program. */
const variables: ReadonlyArray<string> = [
  ...["BLENDER_*", "CYCLES_*", "OCIO", "LD_LIBRARY_PATH", "XDG_*"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "CUDA_*", "HIP_*", "NVIDIA_*"],
]

/** Names that a prefix lets pass, such as NVIDIA_API_KEY, of what Blender does not read. */
const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i

/** What Blender gets of an environment. The rest stays here: code runs in Blender that models wrote. */
export const environment = (env: Environment): Environments.Environment =>
  Environments.make(Object.fromEntries(Object.entries(env).filter(([name]) => !secretName.test(name))), variables)
