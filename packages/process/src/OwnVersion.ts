/**
 * The version of Zain, as its programs say it. Its builds put it in, so that no file is read for it.
 */
declare const ZAIN_VERSION: string | undefined

/** Run from its sources, Zain has none. */
export const ownVersion = typeof ZAIN_VERSION === "undefined" ? "0.0.0" : ZAIN_VERSION
