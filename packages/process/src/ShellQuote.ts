/**
 * Words of a command line as a POSIX shell takes them.
 */

/** Whether a word has no character that a shell interprets. */
export const isPlain = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word)

/** One word, in single quotes where it needs them. */
export const quote = (word: string): string => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** A command line. */
export const line = (words: ReadonlyArray<string>): string => words.map(quote).join(" ")
