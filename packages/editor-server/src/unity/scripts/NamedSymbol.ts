/**
 * The declaration that a path of names means.
 */
import type { Declared } from "./Outline.ts"

/**
 * The declarations that a path `Outer/Member` means: those whose whole path it is, else those whose path ends with it. It may
 * begin with the namespace.
 */
export const named = <A extends Pick<Declared, "path" | "namespace">>(
  symbols: ReadonlyArray<A>,
  namePath: string,
): ReadonlyArray<A> => {
  const wanted = namePath.split(/[/.]/).map((part) => part.trim())
  const ends = (path: ReadonlyArray<string>) =>
    wanted.length <= path.length && wanted.every((part, at) => part === path[path.length - wanted.length + at])
  const exact = symbols.filter(({ path }) => path.length === wanted.length && ends(path))
  if (exact.length > 0) return exact
  return symbols.filter(({ namespace, path }) => ends([...namespace.split("."), ...path]))
}

/** Where symbols are, for messages. */
export const places = (symbols: ReadonlyArray<Pick<Declared, "path" | "line" | "kind">>): string =>
  symbols
    .slice(0, 5)
    .map(({ kind, line, path }) => `${kind} ${path.join("/")} at line ${line}`)
    .join(", ")
