/** The statuses that a server can answer with, as data: the peer answers with them, and the suite knows what is due. */

/**
 * - `name`: the end of the fault's name
 * - `location`: for a redirect, whose origin it leads to
 */
export interface Status {
  readonly name: string
  readonly status: number
  readonly location?: "same" | "other"
  readonly retryAfter?: "seconds" | "date" | "garbage"
}

const redirects = [301, 302, 307, 308].flatMap(
  (status): ReadonlyArray<Status> => [
    { name: `${status}-to-another-origin`, status, location: "other" },
    { name: `${status}-to-the-same-origin`, status, location: "same" },
  ],
)

const plain = [400, 401, 403, 404, 405, 406, 407, 408, 410, 413, 415, 500, 502, 503, 504].map(
  (status): Status => ({ name: String(status), status }),
)

const limited = (["seconds", "date", "garbage"] as const).map(
  (retryAfter): Status => ({ name: `429-${retryAfter}`, status: 429, retryAfter }),
)

export const statuses: ReadonlyArray<Status> = [...redirects, ...plain, { name: "429", status: 429 }, ...limited]

/** What `retry-after: seconds` says. */
export const retrySeconds = 7

/** What a client that asks for the server's own stream may be answered with, instead of it. */
export const ownStreamStatuses: ReadonlyArray<number> = [204, 307, 400, 401, 404, 405, 409, 429, 500, 503]

/** What a resumption may be answered with, instead of the stream. */
export const resumeStatuses: ReadonlyArray<number> = [204, 307, 400, 401, 404, 405, 429, 500, 503]
