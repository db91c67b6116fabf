/**
 * Text of Codex, for people.
 */

/** With its directory, because a program of that name elsewhere may not be a shell. */
const wrapper = /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|z|da)?sh -l?c (?:'([^']*)'|"([^"\\$`!]*)"|([\w./:=@%+,-]+))$/s

/** A command line without the shell that Codex wraps it in, if it has no quotes inside. */
export const unwrapped = (command: string): string => {
  const match = wrapper.exec(command)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? command
}
