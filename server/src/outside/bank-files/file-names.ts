import type { BankFileRow } from '../../storage/rows/bank-file.ts'

/** Names and modifiers, by which banks distinguish our files. */

/** Makes a name unique over rails, databases and restored backups, whose counters may repeat numbers. */
export const MARK_BYTES = 6
/** A message name has 35 characters at most: 13, the mark of 12, the number of 8, and two hyphens. */
const RAIL_CHARACTERS_MAX = 13
const NUMBER_DIGITS = 8
const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** The name of a file in the outbox, and the name of its message in the bank's responses. `mark` is random. */
export function namesOfFile(
  rail: string,
  number: bigint,
  mark: Uint8Array,
  ending: 'xml' | 'ach' | 'csv',
): Pick<BankFileRow, 'name' | 'message_name'> {
  const digits = String(number).padStart(NUMBER_DIGITS, '0')
  const hex = Buffer.from(mark).toString('hex')
  const short = rail.slice(0, RAIL_CHARACTERS_MAX)
  return {
    name: `${rail}-${digits}-${hex}.${ending}`,
    message_name: `${short}-${hex}-${digits}`.toUpperCase(),
  }
}

/** The parts of a string that may be the name of a message. Names of earlier versions have no mark. */
export function messageNamesIn(text: string): readonly string[] {
  return text.match(/[A-Z0-9][A-Z0-9-]*-\d{8}/g) ?? []
}

type Modified = Pick<BankFileRow, 'modifier' | 'number'>

/** The modifier of a file. Files of earlier versions derive it from their number. */
export function modifierOf({ modifier, number }: Modified): string {
  return modifier ?? MODIFIERS.charAt(Number(number) % MODIFIERS.length)
}

/** The first modifier that is unused on the day; undefined after 36 files. */
export function freeModifier(files: readonly Modified[]): string | undefined {
  const used = new Set(files.map(modifierOf))
  return [...MODIFIERS].find((one) => !used.has(one))
}
