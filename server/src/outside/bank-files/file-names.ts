import type { BankFileRow } from '../../storage/rows/bank-file.ts'
import { isReady } from './stores/bank-folder.ts'

/** Names and modifiers, by which banks distinguish our files. */

/** Makes a name unique over rails, databases and restored backups, whose counters may repeat numbers. */
export const MARK_BYTES = 6
/** A message name has 35 characters at most: 13, the mark of 12, the number of 8, and two hyphens. */
const RAIL_CHARACTERS_MAX = 13
const NUMBER_DIGITS = 8
const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/**
 * The name of a file in the outbox, and the name of its message in the bank's responses. `mark` is random. With
 * `messageCharactersMax` the message name is cut to that length, and lacks the rail.
 */
export function namesOfFile(
  rail: string,
  number: bigint,
  mark: Uint8Array,
  ending: string,
  messageCharactersMax?: number,
): Pick<BankFileRow, 'name' | 'message_name'> {
  const digits = String(number).padStart(NUMBER_DIGITS, '0')
  const hex = Buffer.from(mark).toString('hex')
  const message =
    messageCharactersMax === undefined
      ? `${rail.slice(0, RAIL_CHARACTERS_MAX)}-${hex}-${digits}`
      : `${hex.slice(0, messageCharactersMax - digits.length - 1)}-${digits}`
  return { name: `${rail}-${digits}-${hex}.${ending}`, message_name: message.toUpperCase() }
}

/** The values of a name by the bank's scheme. */
export interface NameParts {
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** The number of the file on its day, from 1. */
  readonly sequence: number
  readonly message: string
  readonly account: string
}

const PLACEHOLDER = /\{(date|sequence|message|account)(?::([A-Z0-9]+))?\}/g
const SEQUENCE_DIGITS = 3
/** Leaves room for the names of parts and markers. */
const NAME_CHARACTERS_MAX = 120
const LONGEST: NameParts = {
  day: '2026-12-31',
  sequence: 99_999_999,
  message: 'M'.repeat(35),
  account: 'A'.repeat(34),
}

/** A name by the bank's scheme. Characters of the account that are not safe in a name are left out. */
export function nameByScheme(scheme: string, { day, sequence, message, account }: NameParts): string {
  const date = day.replaceAll('-', '')
  return scheme.replaceAll(PLACEHOLDER, (_, what: string, form?: string) => {
    if (what === 'date') return form === 'YYMMDD' ? date.slice(2) : date
    if (what === 'sequence') return String(sequence).padStart(Number(form ?? SEQUENCE_DIGITS), '0')
    return what === 'message' ? message : safeIn(account)
  })
}

function safeIn(account: string): string {
  return account.replaceAll(/[^A-Za-z0-9]/g, '')
}

/** The reason why a scheme cannot name files; undefined if it can. */
export function faultOfScheme(scheme: string): string | undefined {
  const parts = [...scheme.matchAll(PLACEHOLDER)]
  for (const [whole, what = '', form] of parts)
    if (form !== undefined && !isForm(what, form)) return `fileNames: ${whole} is not known`
  const has = (what: string) => parts.some((part) => part[1] === what)
  if (!has('message') && !(has('date') && has('sequence')))
    return 'fileNames: {message}, or {date} and {sequence}, are required: no name may come twice'
  const longest = nameByScheme(scheme, LONGEST)
  if (longest.length > NAME_CHARACTERS_MAX)
    return `fileNames: names of ${longest.length} characters are possible, and at most ${NAME_CHARACTERS_MAX} are allowed`
  return isReady(longest) ? undefined : 'fileNames: has the ending of incomplete files'
}

function isForm(what: string, form: string): boolean {
  if (what === 'date') return form === 'YYMMDD' || form === 'YYYYMMDD'
  return what === 'sequence' && /^[1-8]$/.test(form)
}

/**
 * The fixed start of a scheme's names. If neither of two starts begins with the other, their schemes never
 * give the same name.
 */
export function startOfScheme(scheme: string, account: string): string {
  return scheme.replaceAll('{account}', safeIn(account)).split('{')[0] ?? ''
}

/** A name made from another one: `{file}.ok`. */
export interface DerivedName {
  readonly before: string
  readonly what: string
  readonly after: string
}

/** The parts of a setting such as `{file}.ok`. */
export function derivedName(setting: string): DerivedName {
  const [, before = '', what = '', after = ''] = /^(.*)\{([a-z]+)\}(.*)$/.exec(setting) ?? []
  return { before, what, after }
}

/** The value of the placeholder in a name; undefined if the name is not of this form. */
export function valueInName(setting: string, name: string): string | undefined {
  const { before, after } = derivedName(setting)
  const isOne = name.startsWith(before) && name.endsWith(after)
  return isOne && name.length > before.length + after.length
    ? name.slice(before.length, name.length - after.length)
    : undefined
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

/** The first modifier unused on the day; undefined after 36 files. */
export function freeModifier(files: readonly Modified[]): string | undefined {
  const used = new Set(files.map(modifierOf))
  return [...MODIFIERS].find((one) => !used.has(one))
}
