/**
 * The arguments of Codex's process that serves all clients.
 */

/** An unsubscribed thread is unloaded immediately. */
export const appServer = ["app-server", "-c", "thread_unload_delay_secs=0"]
