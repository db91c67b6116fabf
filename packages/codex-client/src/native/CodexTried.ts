/** The version of Codex that this release was tested with. */
export const tried = [0, 171, 0] as const
