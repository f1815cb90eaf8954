/** The maximum number of parts that the scale of a chart is divided into. */
const PARTS_MAX = 4

/** The values next to a chart from 0 to at least `max`, in whole steps of 1, 2 or 5 times a power of 10. */
export function ticksOf(max: number): number[] {
  const step = stepFor(max / PARTS_MAX)
  const parts = Math.max(1, Math.ceil(max / step))
  return Array.from({ length: parts + 1 }, (_, at) => at * step)
}

function stepFor(least: number): number {
  for (let power = 1; ; power *= 10)
    for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power
}
