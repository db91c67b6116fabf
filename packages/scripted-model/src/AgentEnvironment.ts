/**
 * What an agent's process needs to use a scripted model and no other service.
 */

/** Where an agent's private configuration is, and the variables that make the agent use it. */
export interface AgentEnvironment {
  /**
   * The home of the agent: its configuration and its own files are below it, except for Claude Code's temporary files
   * if the path is long.
   */
  readonly directory: string
  /** The whole environment of the agent's process except for `PATH`: add the host's. */
  readonly env: Readonly<Record<string, string>>
}

/** Variables with which both agents connect to the loopback interface without a proxy. */
export const withoutProxy = {
  /** The hosts to connect to directly: `127.0.0.1` and `localhost`. */
  NO_PROXY: "127.0.0.1,localhost",
  /** The same, for programs that read only the lower-case name. */
  no_proxy: "127.0.0.1,localhost",
}

/** The API key that agents send; the model accepts any. */
export const dummyKey = "scripted-model-needs-no-key"
