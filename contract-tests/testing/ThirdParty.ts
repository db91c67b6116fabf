/** The third party's agent, for suites of other packages. */
export * from "../test/third-party/Parrot.ts"
