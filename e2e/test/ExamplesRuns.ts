/**
 * Which programs the source of a test runs.
 */

/**
 * Whether a test runs a program: it imports it, or gives its path to `run` or `start`, itself or by a constant, a row of
 * `it.each` among them. A path in a comment, a title or a list that is not run is no run, and neither is a test that
 * is skipped.
 *
 * @param source the file of tests
 * @param program its path in the repository
 */
export const runs = (source: string, program: string): boolean => {
  const code = source.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/^\s*\/\/.*$/gm, "")
  if (/\b(?:it|describe)\.(?:skip|todo|only)\b/.test(code)) return false
  if (code.includes(`import "../../${program}"`)) return true
  const path = `"${program.replaceAll(".", "\\.")}"`
  const started = (what: string) => new RegExp(`\\b(?:run|start)\\(\\s*${what}[,)\\s]`).test(code)
  const constants = [...code.matchAll(new RegExp(`\\bconst (\\w+) = ${path}`, "g"))].map(([, name = ""]) => name)
  const rows = new RegExp(`(?:\\beach\\(|\\bconst (?:races|programs) = )\\[[^\\]]*${path}[^\\]]*\\]`)
  return started(path) || constants.some(started) || (rows.test(code) && started("program"))
}
