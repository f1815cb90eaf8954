'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { ClassNames } from './class-names.ts'
import { languageOf, TEXTS } from './texts/languages.ts'
import type { Texts } from './texts/texts.ts'

/** The language and class names of components. */
export interface Look {
  /** The language as given, BCP 47: for `Intl`. */
  readonly language: string
  readonly texts: Texts
  readonly classNames: ClassNames
}

export interface KitLookProps {
  /** BCP 47: `es`, `pt-BR`. Default: `en`, also for a language that has no translation. */
  readonly language?: string | undefined
  /** Your own strings in place of the kit's. */
  readonly texts?: Partial<Texts> | undefined
  /** Your own class names, in addition to the kit's, for every component. */
  readonly classNames?: ClassNames | undefined
  readonly children?: ReactNode
}

const LookContext = createContext<Look>({ language: 'en', texts: TEXTS.en, classNames: {} })

/** The language and looks of the kit's sections, fields and buttons outside of a wallet, as in a sign-up form. */
export function KitLook(props: KitLookProps): ReactNode {
  return <LookContext.Provider value={useLookOf(props)}>{props.children}</LookContext.Provider>
}

export function useLook(): Look {
  return useContext(LookContext)
}

const NO_CLASS_NAMES: ClassNames = {}

export function useLookOf({ language = 'en', texts, classNames = NO_CLASS_NAMES }: KitLookProps): Look {
  return useMemo(
    () => ({ language, texts: { ...TEXTS[languageOf(language)], ...texts }, classNames }),
    [language, texts, classNames],
  )
}
