/**
 * What an agent's process needs in order to talk to a scripted model and to nothing else.
 */

/**
 * - `directory`: everything that was written, and everything that the agent will write, is below it
 * - `env`: the whole environment of the agent's process but for `PATH`, which is the caller's to give
 */
export interface AgentEnvironment {
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
}

/** A proxy is never asked for the way to the loopback interface; both agents would ask it otherwise. */
export const withoutProxy = { NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" }

/** Stands where an API key would. */
export const dummyKey = "scripted-model-needs-no-key"
