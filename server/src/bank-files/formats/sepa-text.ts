import { UnwritablePayment } from './unreadable-file.ts'

/** The characters that every bank of SEPA takes (European Payments Council, EPC217-08). */
const SEPA = /^[A-Za-z0-9/\-?:().,'+ ]*$/
const UNKNOWN = /[^A-Za-z0-9/\-?:().,'+ ]/gu
const LETTER_OR_DIGIT = /[A-Za-z0-9]/
const MARKS = /\p{Mark}/gu

/** What has no decomposition into a letter of the set and marks. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', Æ: 'AE', æ: 'ae', Œ: 'OE', œ: 'oe', Ø: 'O', ø: 'o', Ł: 'L', ł: 'l', Đ: 'D', đ: 'd' },
  ...{ Ð: 'D', ð: 'd', Þ: 'TH', þ: 'th', Ħ: 'H', ħ: 'h', ı: 'i', Ŋ: 'N', ŋ: 'n', Ŧ: 'T', ŧ: 't', ĸ: 'k' },
  ...{ '&': '+', _: '-', '@': '(at)', '–': '-', '—': '-', '‐': '-', '‑': '-', '’': "'", '‘': "'", '`': "'" },
  ...{ '´': "'", ʼ: "'", '“': "'", '”': "'", '„': "'", '"': "'", '«': "'", '»': "'", ';': ',', '!': '.' },
  ...{ '[': '(', ']': ')', '{': '(', '}': ')', '<': '(', '>': ')', '\\': '/', '|': '/', '~': '-', '=': '-' },
  ...{ '*': '.', '#': '.', '%': '.', $: '.', '^': '.', '€': 'EUR', '£': 'GBP', '·': '.', '•': '.' },
}

/** Greek and Bulgarian, whose countries are in SEPA, in the spelling of their passports and road signs. */
const SCRIPTS: Readonly<Record<string, string>> = {
  ...{
    α: 'a',
    β: 'v',
    γ: 'g',
    δ: 'd',
    ε: 'e',
    ζ: 'z',
    η: 'i',
    θ: 'th',
    ι: 'i',
    κ: 'k',
    λ: 'l',
    μ: 'm',
    ν: 'n',
  },
  ...{ ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o' },
  ...{
    а: 'a',
    б: 'b',
    в: 'v',
    г: 'g',
    д: 'd',
    е: 'e',
    ж: 'zh',
    з: 'z',
    и: 'i',
    к: 'k',
    л: 'l',
    м: 'm',
    н: 'n',
  },
  ...{ о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'h', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sht' },
  ...{ ъ: 'a', ь: 'y', ю: 'yu', я: 'ya' },
}

/**
 * Writes a text in the character set of SEPA, cut to what fits: letters lose their marks, Greek and Bulgarian ones are spelled
 * in Latin, signs become a point. Spaces are single, none at the ends. Throws UnwritablePayment where letters of a script that
 * has no spelling here would be lost: a text that is mostly points says nothing.
 * @param what the member, for the message
 */
export function sepaText(text: string, charactersMax: number, what: string): string {
  const latin = [...text.normalize('NFC')].map(inLatin).join('')
  const lost = [...latin.matchAll(UNKNOWN)].find(([character]) => /[\p{Letter}\p{Number}]/u.test(character))
  if (lost) throw new UnwritablePayment(`${what} has the character ${lost[0]}, which SEPA cannot carry`)
  const written = latin.replaceAll(UNKNOWN, '.').replaceAll(/ +/g, ' ').trim()
  return written.slice(0, charactersMax).trimEnd()
}

/** The same for a name, in which a letter or digit must be left. */
export function sepaName(text: string, charactersMax: number, what: string): string {
  const written = sepaText(text, charactersMax, what)
  if (!LETTER_OR_DIGIT.test(written))
    throw new UnwritablePayment(`${what} has no letter or digit that SEPA can carry`)
  return written
}

/**
 * Checks a reference, which is sent as it is: in the character set, at most 35 characters, no slash at an end and no two in
 * a row. Throws UnwritablePayment.
 */
export function sepaReference(text: string, what: string): string {
  const isFit = SEPA.test(text) && text.length <= 35 && LETTER_OR_DIGIT.test(text) && text === text.trim()
  if (!isFit || /^\/|\/\/|\/$/.test(text))
    throw new UnwritablePayment(
      `${what} is not of 1 to 35 characters of SEPA, or has a slash where none may be`,
    )
  return text
}

/** A character in letters of the set, or unchanged where it has no spelling there. */
export function inLatin(character: string): string {
  if (SEPA.test(character)) return character
  if (/\s/u.test(character)) return ' '
  const known = LETTERS[character]
  if (known !== undefined) return known
  const bare = character.normalize('NFKD').replaceAll(MARKS, '')
  return [...bare]
    .map((letter) => (SEPA.test(letter) ? letter : (LETTERS[letter] ?? spelled(letter))))
    .join('')
}

function spelled(letter: string): string {
  const lower = letter.toLowerCase()
  const latin = SCRIPTS[lower]
  if (latin === undefined) return letter
  return lower === letter ? latin : latin[0]!.toUpperCase() + latin.slice(1)
}
