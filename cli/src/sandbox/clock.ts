import { present } from '@countersign/contract/core/objects'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { readTime } from '../terminal/options.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Parses a duration such as `90s`, `6m` or `2d` to seconds. Throws Failure. */
export function readDuration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  if (count === undefined)
    throw new Failure(`--advance must be a duration such as 90s, 6m, 2h, 3d or 1w, not "${text}".`)
  return Number(count) * UNIT_SECONDS[unit]!
}

/** `countersign sandbox clock` */
export async function moveClock(
  shell: Shell,
  { advance, to }: { readonly advance?: number; readonly to?: string },
): Promise<void> {
  const { sandbox } = shell.countersign
  if (advance !== undefined && to !== undefined) throw new Failure('Use --advance or --to, not both.')
  const movesClock = advance !== undefined || to !== undefined
  const clock = movesClock
    ? await sandbox.advanceClock(present({ seconds: advance, to: readTime(to, '--to') }))
    : await sandbox.clock()
  printResult(shell, clock, [clock.now])
}
