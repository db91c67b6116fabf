/**
 * How Codex's things are said to people.
 */

/** A program of that name elsewhere is not a shell for sure. */
const wrapper = /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|z|da)?sh -l?c (?:'([^']*)'|"([^"\\$`!]*)"|([\w./:=@%+,-]+))$/s

/** A command line without the shell that Codex puts around it, where nothing was quoted inside. */
export const unwrapped = (command: string): string => {
  const match = wrapper.exec(command)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? command
}
