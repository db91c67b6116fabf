/**
 * Reads arguments that are valid by the schema of their tool.
 */
import type { Arguments } from "../../domain/Catalogue.ts"

export const text = (args: Arguments, name: string): string => optionalText(args, name) ?? ""

/** An empty text counts as none. */
export const optionalText = (args: Arguments, name: string): string | undefined => {
  const value = args[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

export const flag = (args: Arguments, name: string, otherwise: boolean): boolean => {
  const value = args[name]
  return typeof value === "boolean" ? value : otherwise
}

/** A whole number within bounds: the nearest bound for one outside of them. */
export const whole = (args: Arguments, name: string, otherwise: number, least: number, most: number): number => {
  const value = args[name]
  if (typeof value !== "number" || Number.isNaN(value)) return otherwise
  return Math.min(most, Math.max(least, Math.floor(value)))
}

/** The bytes that a result may take: 64 KiB by default, at most 1 MiB. */
export const maxBytes = (args: Arguments): number => whole(args, "maxBytes", 65_536, 1, 1_048_576)

export const texts = (args: Arguments, name: string): ReadonlyArray<string> => {
  const value = args[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
}
