/** Maximum number of intervals on a chart's scale. */
const PARTS_MAX = 4

/** Returns a chart's tick values, from 0 to at least `max`, in steps of 1, 2 or 5 times a power of 10. */
export function getTicks(max: number): number[] {
  const step = chooseStep(max / PARTS_MAX)
  const parts = Math.max(1, Math.ceil(max / step))
  return Array.from({ length: parts + 1 }, (_, at) => at * step)
}

function chooseStep(stepMin: number): number {
  for (let power = 1; ; power *= 10)
    for (const factor of [1, 2, 5]) if (factor * power >= stepMin) return factor * power
}
