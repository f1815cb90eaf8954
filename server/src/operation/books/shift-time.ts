/** A time moved by some milliseconds, forward or back. */
export function shiftTime(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
