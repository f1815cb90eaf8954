'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { ClassNames } from './class-names.ts'
import { findLanguage, TEXTS } from './texts/languages.ts'
import type { Texts } from './texts/texts.ts'

/** The language, messages and class names of components. */
export interface Look {
  /** The BCP 47 tag as given, for use with `Intl`. */
  readonly language: string
  readonly texts: Texts
  readonly classNames: ClassNames
}

export interface KitLookProps {
  /** BCP 47, such as `es` or `pt-BR`. Default: `en`, which also replaces languages without a translation. */
  readonly language?: string | undefined
  /** Your own strings. They override the kit's. */
  readonly texts?: Partial<Texts> | undefined
  /** Your class names for all components. They are added to the kit's. */
  readonly classNames?: ClassNames | undefined
  readonly children?: ReactNode
}

const LookContext = createContext<Look>({ language: 'en', texts: TEXTS.en, classNames: {} })

/**
 * Provides language and class names to the kit's sections, fields and buttons where there is no wallet yet,
 * as in a sign-up form.
 */
export function KitLook(props: KitLookProps): ReactNode {
  return <LookContext.Provider value={useResolvedLook(props)}>{props.children}</LookContext.Provider>
}

export function useLook(): Look {
  return useContext(LookContext)
}

const NO_CLASS_NAMES: ClassNames = {}

export function useResolvedLook({ language = 'en', texts, classNames = NO_CLASS_NAMES }: KitLookProps): Look {
  return useMemo(
    () => ({ language, texts: { ...TEXTS[findLanguage(language)], ...texts }, classNames }),
    [language, texts, classNames],
  )
}
