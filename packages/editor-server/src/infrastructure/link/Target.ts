/**
 * Where an editor listens.
 */

/** `name`: what calls choose it by, where there are several. */
export interface Target {
  readonly name?: string
  readonly host: string
  readonly port: number
}

/** `127.0.0.1:8700`, as people write it. */
export const address = ({ host, port }: Target): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

/** Its name, or where it is. */
export const label = (target: Target): string => target.name ?? address(target)
