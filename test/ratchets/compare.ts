import type { Measured } from './numbers.ts'

/** The numbers in ratchets.json, by name. */
export type Limits = Readonly<Record<string, number>>

export interface Comparison {
  /** One line for each number that differs from the file. */
  readonly problems: readonly string[]
  /** The file's numbers, with lower and new ones updated. A number that rose stays unchanged. */
  readonly lowered: Limits
}

/**
 * Compares the counts with the file. A number that fell is a problem until it is recorded, so that it cannot
 * rise again. For a number that rose, lists its places in `changed` files.
 */
export function compare(
  measured: readonly Measured[],
  limits: Limits,
  changed: ReadonlySet<string> = new Set(),
): Comparison {
  const names = new Set(measured.map(({ name }) => name))
  return {
    problems: [
      ...measured.flatMap((number) => describeProblem(number, limits[number.name], changed)),
      ...Object.keys(limits)
        .filter((name) => !names.has(name))
        .map((name) => `${name}: is no longer counted: run "npm run ratchets" to remove it`),
    ],
    lowered: Object.fromEntries(
      measured.map(({ name, value }) => [name, Math.min(value, limits[name] ?? value)]),
    ),
  }
}

function describeProblem(
  { name, value, advice, places }: Measured,
  limit: number | undefined,
  changed: ReadonlySet<string>,
): string[] {
  if (limit === undefined) return [`${name}: is ${value} and new: run "npm run ratchets" to write it down`]
  if (value < limit) return [`${name}: was ${limit}, is ${value}: run "npm run ratchets" to keep the gain`]
  if (value === limit) return []
  const recent = places.filter((place) => changed.has(/^[^:]*/.exec(place)![0]))
  const shown = (recent.length > 0 ? recent : places).slice(0, PLACES_MAX).map((place) => `  ${place}`)
  const more = shown.length < places.length ? [`  all: npm run ratchets -- --list "${name}"`] : []
  return [[`${name}: was ${limit}, is ${value}: ${advice}`, ...shown, ...more].join('\n')]
}

/** Enough places to find the mistake. More would hide the other numbers. */
const PLACES_MAX = 10
const SLACK = 1.25

/**
 * Compares the CPU seconds of the last test run with the limits. `slowdown` is the factor by which this
 * machine is slower than usual. Measured times vary, so a lower time does not require a new limit.
 */
export function compareSeconds(seconds: Limits, limits: Limits, slowdown: number): string[] {
  return Object.entries(seconds).flatMap(([project, taken]) => {
    const limit = limits[project]
    if (limit === undefined)
      return [`test seconds of ${project}: ${taken}, and new: run "npm run ratchets" to write it down`]
    const allowed = limit * SLACK * slowdown
    if (taken <= allowed) return []
    return [
      `test seconds of ${project}: ${taken} of CPU time, ${allowed.toFixed(0)} are allowed here (${limit}, with slack and for the speed of this machine): share a world or a process, or move the test to a faster project`,
    ]
  })
}
