import { EN } from './en.ts'
import { ES } from './es.ts'
import { FR } from './fr.ts'
import { PT } from './pt.ts'
import type { Texts } from './texts.ts'

/** The languages of the components. */
export type Language = 'en' | 'es' | 'pt' | 'fr'

export const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, es: ES, pt: PT, fr: FR }

/** Returns the language for a BCP 47 tag: `pt` for `pt-BR`. English if there is no translation. */
export function findLanguage(tag: string): Language {
  const [base = ''] = tag.toLowerCase().split('-', 1)
  return isLanguage(base) ? base : 'en'
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(TEXTS, text)
}
