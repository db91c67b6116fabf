/**
 * The profiles: one line each.
 */
import type { ProfileCommand } from "../infrastructure/mcp/ProfileCommand.ts"
import { unityLoopCommand } from "../unity-loop/UnityLoopCommand.ts"

export const commands: ReadonlyArray<ProfileCommand> = [unityLoopCommand]
