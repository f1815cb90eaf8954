import { spellInLatin } from './latin-spelling.ts'
import { type PaymentPart, UnwritablePayment } from './unreadable-file.ts'

/** The characters that all SEPA banks accept (European Payments Council, EPC217-08). */
const SEPA = /^[A-Za-z0-9/\-?:().,'+ ]*$/
const UNKNOWN = /[^A-Za-z0-9/\-?:().,'+ ]/gu
const LETTER_OR_DIGIT = /[A-Za-z0-9]/
const MARKS = /\p{Mark}/gu

/**
 * Letters that do not decompose into a letter of the character set and diacritics. Azerbaijani passports
 * spell schwa as A.
 */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', Æ: 'AE', æ: 'ae', Œ: 'OE', œ: 'oe', Ø: 'O', ø: 'o', Ł: 'L', ł: 'l', Đ: 'D', đ: 'd' },
  ...{
    Ə: 'A',
    ə: 'a',
    Ð: 'D',
    ð: 'd',
    Þ: 'TH',
    þ: 'th',
    Ħ: 'H',
    ħ: 'h',
    ı: 'i',
    Ŋ: 'N',
    ŋ: 'n',
    Ŧ: 'T',
    ŧ: 't',
    ĸ: 'k',
  },
  ...{ '&': '+', _: '-', '@': '(at)', '–': '-', '—': '-', '‐': '-', '‑': '-', '’': "'", '‘': "'", '`': "'" },
  ...{ '´': "'", ʼ: "'", '“': "'", '”': "'", '„': "'", '"': "'", '«': "'", '»': "'", ';': ',', '!': '.' },
  ...{ '[': '(', ']': ')', '{': '(', '}': ')', '<': '(', '>': ')', '\\': '/', '|': '/', '~': '-', '=': '-' },
  ...{ '*': '.', '#': '.', '%': '.', $: '.', '^': '.', '€': 'EUR', '£': 'GBP', '·': '.', '•': '.' },
}

/** The field to which a text belongs, for error messages. */
export interface TextPlace {
  /** The name of the field in a sentence. */
  readonly label: string
  readonly part?: PaymentPart
  /** The account's country, which distinguishes languages that share letters. */
  readonly country?: string
}

/**
 * Converts text to the SEPA character set and truncates it to fit. Letters lose their diacritics, Greek and
 * Cyrillic letters are spelled as in passports, other characters become a period, and redundant spaces are
 * removed. Throws UnwritablePayment for letters without a spelling, because mere periods would be useless.
 */
export function toSepaText(
  text: string,
  charactersMax: number,
  { label, part = 'account', country }: TextPlace,
): string {
  const latin = toLatin(text, country)
  const lost = [...latin.matchAll(UNKNOWN)].find(([character]) => /[\p{Letter}\p{Number}]/u.test(character))
  if (lost)
    throw new UnwritablePayment(`${label} contains the character ${lost[0]}, which SEPA cannot carry`, part)
  const written = latin.replaceAll(UNKNOWN, '.').replaceAll(/ +/g, ' ').trim()
  return written.slice(0, charactersMax).trimEnd()
}

/** Like `toSepaText`, for a name, which must contain at least one letter or digit. */
export function toSepaName(text: string, charactersMax: number, place: TextPlace): string {
  const written = toSepaText(text, charactersMax, place)
  if (!LETTER_OR_DIGIT.test(written))
    throw new UnwritablePayment(`${place.label} has no letter or digit that SEPA can carry`, place.part)
  return written
}

/**
 * Validates a reference, which is sent unchanged: only characters of the set, at most 35, no slash at either
 * end, and no two slashes in a row. Throws UnwritablePayment.
 */
export function requireSepaReference(text: string, label: string): string {
  const isFit = SEPA.test(text) && text.length <= 35 && LETTER_OR_DIGIT.test(text) && text === text.trim()
  if (!isFit || /^\/|\/\/|\/$/.test(text))
    throw new UnwritablePayment(
      `${label} must have 1 to 35 SEPA characters, without a slash at either end or two slashes in a row`,
    )
  return text
}

/** Converts text to Latin letters. Characters that match `isKept` or have no spelling do not change. */
export function toLatin(text: string, country?: string, isKept = SEPA): string {
  return [...spellInLatin(text, country)]
    .map((letter) => (isKept.test(letter) ? letter : toLatinLetter(letter)))
    .join('')
}

function toLatinLetter(character: string): string {
  if (/\s/u.test(character)) return ' '
  const known = LETTERS[character]
  if (known !== undefined) return known
  const withoutMarks = character.normalize('NFKD').replaceAll(MARKS, '')
  return [...withoutMarks]
    .map((letter) => (SEPA.test(letter) ? letter : (LETTERS[letter] ?? letter)))
    .join('')
}
