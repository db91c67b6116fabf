/**
 * The version that Zain's programs report. The build inserts it, so that no file is read at run time.
 */
declare const ZAIN_VERSION: string | undefined

/** The version of Zain, such as `1.2.3`; `0.0.0` when it runs from its sources. */
export const ownVersion = typeof ZAIN_VERSION === "undefined" ? "0.0.0" : ZAIN_VERSION
