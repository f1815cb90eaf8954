/** Moves a time forward or, if `ms` is negative, backward. */
export function shiftTime(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
