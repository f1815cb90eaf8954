/** A moment some milliseconds later, or earlier. */
export function shiftTime(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
