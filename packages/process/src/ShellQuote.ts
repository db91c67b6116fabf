/**
 * Quotes command lines for a POSIX shell.
 */

/**
 * Returns whether a shell reads a word unchanged without quotes.
 *
 * @param word one argument of a command line; an empty one needs quotes
 */
export const isPlain = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word)

/**
 * Quotes a word with single quotes if it needs them.
 *
 * @param word one argument of a command line; an empty one needs quotes
 */
export const quote = (word: string): string => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/**
 * Joins words to a command line that a shell splits into the same words.
 *
 * @param words the command and its arguments
 */
export const line = (words: ReadonlyArray<string>): string => words.map(quote).join(" ")
