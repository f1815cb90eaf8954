import type { BankFileRow } from '../../storage/rows/bank-file.ts'
import { isReady } from './stores/bank-folder.ts'

/** Names and modifiers by which banks tell our files apart. */

/** Makes a name unique across rails, databases and restored backups, where counters may repeat. */
export const MARK_BYTES = 6
/**
 * A message name has at most 35 characters: 13 for the rail, 12 for the mark, 8 for the number, and two
 * hyphens.
 */
const RAIL_CHARACTERS_MAX = 13
const NUMBER_DIGITS = 8
const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/**
 * The name of a file in the outbox, and the message name that the bank repeats in its responses. `mark` is
 * random. With `messageCharactersMax`, the message name is cut to that length and omits the rail.
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

/** The values for a name in the bank's scheme. */
export interface NameParts {
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** The file's number on its day, starting at 1. */
  readonly sequence: number
  readonly message: string
  readonly account: string
}

const PLACEHOLDER = /\{(date|sequence|message|account)(?::([A-Z0-9]+))?\}/g
const SEQUENCE_DIGITS = 3
/** Leaves room for the names of temporary files and markers. */
const NAME_CHARACTERS_MAX = 120
const LONGEST: NameParts = {
  day: '2026-12-31',
  sequence: 99_999_999,
  message: 'M'.repeat(35),
  account: 'A'.repeat(34),
}

/**
 * Builds a name in the bank's scheme. Characters of the account that are not safe in a file name are omitted.
 */
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

/** Explains why a scheme cannot name files. Undefined if it can. */
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
 * The fixed start of a scheme's names. Two schemes never produce the same name if neither start is a prefix
 * of the other.
 */
export function startOfScheme(scheme: string, account: string): string {
  return scheme.replaceAll('{account}', safeIn(account)).split('{')[0] ?? ''
}

/** A name derived from another one, such as `{file}.ok`. */
export interface DerivedName {
  readonly before: string
  readonly what: string
  readonly after: string
}

/** Parses a setting such as `{file}.ok`. */
export function derivedName(setting: string): DerivedName {
  const [, before = '', what = '', after = ''] = /^(.*)\{([a-z]+)\}(.*)$/.exec(setting) ?? []
  return { before, what, after }
}

/** Extracts the placeholder's value from a name. Undefined if the name does not match the setting. */
export function valueInName(setting: string, name: string): string | undefined {
  const { before, after } = derivedName(setting)
  const isOne = name.startsWith(before) && name.endsWith(after)
  return isOne && name.length > before.length + after.length
    ? name.slice(before.length, name.length - after.length)
    : undefined
}

/** The parts of a string that may be message names. Names created by earlier versions have no mark. */
export function messageNamesIn(text: string): readonly string[] {
  return text.match(/[A-Z0-9][A-Z0-9-]*-\d{8}/g) ?? []
}

type Modified = Pick<BankFileRow, 'modifier' | 'number'>

/** A file's modifier. For files of earlier versions, it is derived from their number. */
export function modifierOf({ modifier, number }: Modified): string {
  return modifier ?? MODIFIERS.charAt(Number(number) % MODIFIERS.length)
}

/** The first modifier that is unused on this day. Undefined after 36 files. */
export function freeModifier(files: readonly Modified[]): string | undefined {
  const used = new Set(files.map(modifierOf))
  return [...MODIFIERS].find((one) => !used.has(one))
}
