/** Whether arrays and objects are nested deeper than so many levels. */
export const isDeeper = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1))
}
