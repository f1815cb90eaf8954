/** Spells Greek and Cyrillic names from SEPA countries in Latin letters, as in these countries' passports. */

type Table = Readonly<Record<string, string>>

/** A letter of a word, in lower case, with its diacritics. */
interface Letter {
  readonly base: string
  readonly isUpper: boolean
  hasAccent: boolean
  hasDiaeresis: boolean
}

const ACCENT = '\u0301'
const DIAERESIS = '\u0308'
const GREEK_WORDS = /\p{Script=Greek}[\p{Script=Greek}\p{Mark}]*/gu
const CYRILLIC_WORDS = /\p{Script=Cyrillic}[\p{Script=Cyrillic}\p{Mark}]*/gu

/** ELOT 743 (ISO 843), transcription. */
const GREEK: Table = {
  ...{ α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm' },
  ...{ ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps' },
  ω: 'o',
}
const GREEK_PAIRS: Table = { γγ: 'ng', γξ: 'nx', γχ: 'nch' }
/** After these vowels, an υ is a consonant, which is voiced before the letters of VOICED. */
const BEFORE_UPSILON = 'αεη'
const VOICED = 'αεηιουωβγδζλμνρ'

/** Letters that all three alphabets share. */
const CYRILLIC: Table = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', з: 'z', и: 'i', к: 'k', л: 'l', м: 'm', н: 'n' },
  ...{ о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'h' },
}
/** The Bulgarian law of 2009, and the spelling of Serbian and Macedonian letters in ICAO document 9303. */
const LANGUAGES = {
  BULGARIAN: {
    ...CYRILLIC,
    ...{ ж: 'zh', й: 'y', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sht', ъ: 'a', ь: 'y', ю: 'yu', я: 'ya' },
  },
  SERBIAN: {
    ...CYRILLIC,
    ...{ ђ: 'd', ж: 'z', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', ц: 'c', ч: 'c', џ: 'dz', ш: 's' },
  },
  MACEDONIAN: {
    ...CYRILLIC,
    ...{ ѓ: 'gj', ж: 'zh', ѕ: 'dz', ј: 'j', љ: 'lj', њ: 'nj', ќ: 'kj', ц: 'c', ч: 'ch', џ: 'dj', ш: 'sh' },
  },
} as const satisfies Record<string, Table>
type Language = keyof typeof LANGUAGES

/** Letters that identify a language. */
const LANGUAGE_LETTERS: readonly (readonly [RegExp, Language])[] = [
  [/[ѓѕќ]/u, 'MACEDONIAN'],
  [/[ђћ]/u, 'SERBIAN'],
  [/[щъьюяй]/u, 'BULGARIAN'],
]
const NOT_BULGARIAN = /[јљњџ]/u
const COUNTRY_LANGUAGES: Readonly<Record<string, Language>> = {
  BG: 'BULGARIAN',
  ME: 'SERBIAN',
  MK: 'MACEDONIAN',
  RS: 'SERBIAN',
}

/**
 * Spells the Greek and Cyrillic words of a text in Latin letters and leaves other words unchanged. The
 * letters determine the language; if several languages match, the account's country decides.
 */
export function spellInLatin(text: string, country = ''): string {
  const composed = text.normalize('NFC')
  const table = LANGUAGES[detectLanguage(composed.toLowerCase(), country)]
  return composed
    .replaceAll(GREEK_WORDS, spellGreek)
    .replaceAll(CYRILLIC_WORDS, (word) => spellCyrillic(word, table))
}

function detectLanguage(text: string, country: string): Language {
  const identified = LANGUAGE_LETTERS.find(([letters]) => letters.test(text))
  if (identified) return identified[1]
  const countryLanguage = COUNTRY_LANGUAGES[country]
  if (!NOT_BULGARIAN.test(text)) return countryLanguage ?? 'BULGARIAN'
  return countryLanguage === 'MACEDONIAN' ? countryLanguage : 'SERBIAN'
}

function spellGreek(word: string): string {
  const letters = splitLetters(word)
  const isCapitals = isAllCapitals(letters)
  let written = ''
  for (let at = 0; at < letters.length; ) {
    const { latin, length } = readGreekSound(letters, at)
    written += applyCase(latin, letters[at], isCapitals)
    at += length
  }
  return written
}

/** Reads the next sound of a word: its spelling and its number of letters. */
function readGreekSound(letters: readonly Letter[], at: number) {
  const [letter, next, after] = letters.slice(at, at + 3)
  const base = letter?.base ?? ''
  const pair = `${base}${next?.base ?? ''}`
  // A diaeresis, or an accent on the first of two vowels, separates them.
  const isDigraph = next?.base === 'υ' && !next.hasDiaeresis && letter?.hasAccent !== true
  if (isDigraph && base === 'ο') return { latin: 'ou', length: 2 }
  if (isDigraph && BEFORE_UPSILON.includes(base)) {
    const isVoiced = after !== undefined && VOICED.includes(after.base)
    return { latin: `${GREEK[base]}${isVoiced ? 'v' : 'f'}`, length: 2 }
  }
  if (pair === 'μπ') {
    const isAtEdge = at === 0 || at + 2 === letters.length
    return { latin: isAtEdge ? 'b' : 'mp', length: 2 }
  }
  const sound = GREEK_PAIRS[pair]
  return sound === undefined ? { latin: GREEK[base] ?? base, length: 1 } : { latin: sound, length: 2 }
}

/** Splits a word into its letters and their diacritics. */
function splitLetters(word: string): Letter[] {
  const letters: Letter[] = []
  for (const character of word.normalize('NFD')) {
    const last = letters.at(-1)
    if (!/\p{Mark}/u.test(character)) {
      const base = character.toLowerCase()
      letters.push({ base, isUpper: base !== character, hasAccent: false, hasDiaeresis: false })
    } else if (last && character === ACCENT) last.hasAccent = true
    else if (last && character === DIAERESIS) last.hasDiaeresis = true
  }
  return letters
}

function spellCyrillic(word: string, table: Table): string {
  // Diacritics that are part of a letter are kept, as in й and ѓ. All others mark stress.
  const letters = [...word].flatMap((character) => {
    const base = character.toLowerCase()
    const isKnown = base in table || Object.values(LANGUAGES).some((other) => base in other)
    return isKnown ? [{ base, isUpper: base !== character }] : splitLetters(character)
  })
  const isCapitals = isAllCapitals(letters)
  const endsInIya = table === LANGUAGES.BULGARIAN && /ия$/u.test(letters.map(({ base }) => base).join(''))
  return letters
    .map((letter, at) => {
      const { base } = letter
      const other = Object.values<Table>(LANGUAGES).find((one) => base in one)
      const isLast = at === letters.length - 1
      return applyCase(endsInIya && isLast ? 'a' : (table[base] ?? other?.[base] ?? base), letter, isCapitals)
    })
    .join('')
}

function isAllCapitals(letters: readonly Pick<Letter, 'isUpper'>[]): boolean {
  return letters.length > 1 && letters.every(({ isUpper }) => isUpper)
}

function applyCase(latin: string, letter: Pick<Letter, 'isUpper'> | undefined, isCapitals: boolean): string {
  if (isCapitals) return latin.toUpperCase()
  return letter?.isUpper ? latin.charAt(0).toUpperCase() + latin.slice(1) : latin
}
