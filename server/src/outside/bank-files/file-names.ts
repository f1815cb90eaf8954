import type { BankFileRow } from '../../storage/rows/bank-file.ts'
import { isReady } from './stores/bank-folder.ts'

/** The names and modifiers that tell our files apart. */

/** A random mark keeps names unique if counters repeat, across rails, databases and restored backups. */
export const MARK_BYTES = 6
/**
 * A message name has at most 35 characters: 13 for the rail, 12 for the mark, 8 for the number, and two
 * hyphens.
 */
const RAIL_CHARACTERS_MAX = 13
const NUMBER_DIGITS = 8
const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/**
 * Builds the name of a file in the outbox, and the message name that the bank repeats in its responses. With
 * `messageCharactersMax`, the message name omits the rail and is cut to that length.
 */
export function buildFileNames(
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

/** The values that the bank's scheme may put into a file name. */
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
const LONGEST_PARTS: NameParts = {
  day: '2026-12-31',
  sequence: 99_999_999,
  message: 'M'.repeat(35),
  account: 'A'.repeat(34),
}

/**
 * Formats a name in the bank's scheme. Characters of the account that are unsafe in a file name are omitted.
 */
export function formatFileName(scheme: string, { day, sequence, message, account }: NameParts): string {
  const date = day.replaceAll('-', '')
  return scheme.replaceAll(PLACEHOLDER, (_, placeholder: string, option?: string) => {
    if (placeholder === 'date') return option === 'YYMMDD' ? date.slice(2) : date
    if (placeholder === 'sequence') return String(sequence).padStart(Number(option ?? SEQUENCE_DIGITS), '0')
    return placeholder === 'message' ? message : keepSafeCharacters(account)
  })
}

function keepSafeCharacters(account: string): string {
  return account.replaceAll(/[^A-Za-z0-9]/g, '')
}

/** Explains why a scheme cannot name files. Undefined if it can. */
export function findSchemeFault(scheme: string): string | undefined {
  const parts = [...scheme.matchAll(PLACEHOLDER)]
  for (const [whole, placeholder = '', option] of parts)
    if (option !== undefined && !isKnownOption(placeholder, option))
      return `fileNames: ${whole} is not a known placeholder`
  const has = (placeholder: string) => parts.some((part) => part[1] === placeholder)
  if (!has('message') && !(has('date') && has('sequence')))
    return 'fileNames: must contain {message}, or {date} and {sequence}, for unique file names'
  const longest = formatFileName(scheme, LONGEST_PARTS)
  if (longest.length > NAME_CHARACTERS_MAX)
    return `fileNames: names could have ${longest.length} characters, but at most ${NAME_CHARACTERS_MAX} are allowed`
  return isReady(longest) ? undefined : 'fileNames: must not end like incomplete files, such as .part'
}

function isKnownOption(placeholder: string, option: string): boolean {
  if (placeholder === 'date') return option === 'YYMMDD' || option === 'YYYYMMDD'
  return placeholder === 'sequence' && /^[1-8]$/.test(option)
}

/**
 * The fixed prefix of a scheme's names. If neither prefix starts with the other, two schemes never produce
 * the same name.
 */
export function readSchemePrefix(scheme: string, account: string): string {
  return scheme.replaceAll('{account}', keepSafeCharacters(account)).split('{')[0] ?? ''
}

/** A name derived from another one, such as `{file}.ok`. */
export interface DerivedName {
  readonly before: string
  readonly placeholder: string
  readonly after: string
}

/** Parses a setting such as `{file}.ok`. */
export function parseDerivedName(setting: string): DerivedName {
  const [, before = '', placeholder = '', after = ''] = /^(.*)\{([a-z]+)\}(.*)$/.exec(setting) ?? []
  return { before, placeholder, after }
}

/** Reads the placeholder's value from a name. Undefined if the name does not match the setting. */
export function readNameValue(setting: string, name: string): string | undefined {
  const { before, after } = parseDerivedName(setting)
  const isMatch = name.startsWith(before) && name.endsWith(after)
  return isMatch && name.length > before.length + after.length
    ? name.slice(before.length, name.length - after.length)
    : undefined
}

/** Finds the parts of a string that may be message names. Names created by earlier versions have no mark. */
export function findMessageNames(text: string): readonly string[] {
  return text.match(/[A-Z0-9][A-Z0-9-]*-\d{8}/g) ?? []
}

type ModifierSource = Pick<BankFileRow, 'modifier' | 'number'>

/** The modifier of a file. For files of earlier versions, it is derived from the file number. */
export function readModifier({ modifier, number }: ModifierSource): string {
  return modifier ?? MODIFIERS.charAt(Number(number) % MODIFIERS.length)
}

/** The first modifier that is unused on this day. Undefined after 36 files. */
export function findFreeModifier(files: readonly ModifierSource[]): string | undefined {
  const used = new Set(files.map(readModifier))
  return [...MODIFIERS].find((modifier) => !used.has(modifier))
}
