/**
 * Why a turn ended.
 */

/**
 * Every reason.
 *
 * - `completed`: the agent has answered
 * - `no-text`: it has ended without a text
 * - `refused`: its model has refused
 * - `max-tokens`: its model has reached the most tokens of an answer
 * - `max-turns`: it has reached the most steps of a turn
 * - `interrupted`: it was interrupted
 */
export const stopReasons = ["completed", "no-text", "refused", "max-tokens", "max-turns", "interrupted"] as const
