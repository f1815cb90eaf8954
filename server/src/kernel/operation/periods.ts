/** The UTC day and month of a time, such as `2025-10-13` and `2025-10`. */
export function toPeriods(at: Date): { readonly day: string; readonly month: string } {
  const day = at.toISOString().slice(0, at.toISOString().indexOf('T'))
  return { day, month: day.slice(0, -'-00'.length) }
}
