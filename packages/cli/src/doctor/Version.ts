/**
 * Versions of agents.
 */

export type Version = readonly [major: number, minor: number, patch: number]

/** The first version in a text. */
export const parse = (text: string): Version | undefined => {
  const found = /\b(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(text)
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])]
}

/** Negative, zero or positive, as for sorting. */
export const compare = (one: Version, other: Version): number =>
  one[0] - other[0] || one[1] - other[1] || one[2] - other[2]

/** Whether it is `0.0.0`, the version of builds from source. */
export const isPlaceholder = (version: Version): boolean => version.every((part) => part === 0)

export const format = (version: Version): string => version.join(".")
