/**
 * The profiles: one line each.
 */
import { blenderCommand } from "@zain/editor-blender/BlenderCommand"
import type { ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import { unityCommand } from "@zain/editor-unity/UnityCommand"
import { unityLoopCommand } from "@zain/editor-unity-loop/UnityLoopCommand"

export const commands: ReadonlyArray<ProfileCommand> = [unityCommand, unityLoopCommand, blenderCommand]
