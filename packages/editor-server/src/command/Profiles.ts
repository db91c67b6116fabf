/**
 * The profiles: one line each.
 */
import { blenderCommand } from "../blender/BlenderCommand.ts"
import type { ProfileCommand } from "../infrastructure/mcp/ProfileCommand.ts"
import { unityCommand } from "../unity/UnityCommand.ts"
import { unityLoopCommand } from "../unity-loop/UnityLoopCommand.ts"

export const commands: ReadonlyArray<ProfileCommand> = [unityCommand, unityLoopCommand, blenderCommand]
