/** The Claude Code that the tests run: major, minor, patch. The fakes, which must load without `effect`, report it too. */
export const tried = [2, 1, 332] as const
