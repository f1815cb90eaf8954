/** A moment some milliseconds later, or earlier. */
export function moved(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
