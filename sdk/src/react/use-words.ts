import { useMemo } from 'react'
import { errorText, type Sentence } from './error-texts.ts'
import { useLook } from './look.tsx'
import { amountText, decimalsOf, parseAmount } from './money.ts'
import type { Texts } from './texts/texts.ts'

/** An amount as records have it. */
interface CurrencyAmount {
  readonly amount: bigint
  readonly currency: { readonly code: string; readonly decimals: number }
}

/** Formatters for the customer's language. */
export interface Words {
  readonly texts: Texts
  /** An amount of a record. */
  readonly money: (value: CurrencyAmount, signDisplay?: 'auto' | 'always') => string
  /** An amount of a payload, which has only the code of its currency. */
  readonly signedMoney: (amount: bigint, currency: string) => string
  /**
   * A typed amount, in the smallest unit of a currency with these places; undefined if it is not an amount.
   */
  readonly parseMoney: (text: string, decimals: number) => bigint | undefined
  /** A day and time of ISO 8601. */
  readonly time: (text: string | Date) => string
  /** The time of a day. */
  readonly hour: (time: Date) => string
  /** The message for a failure. `own` names the message for a code if another one fits better. */
  readonly error: (error: unknown, own?: Readonly<Record<string, Sentence>>) => string
}

export function useWords(): Words {
  const { language, texts } = useLook()
  return useMemo(() => wordsOf(language, texts), [language, texts])
}

export function wordsOf(language: string, texts: Texts): Words {
  const times = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const hours = new Intl.DateTimeFormat(language, { timeStyle: 'short' })
  return {
    texts,
    money: ({ amount, currency: { code, decimals } }, signDisplay) =>
      amountText(language, amount, code, decimals, signDisplay),
    signedMoney(amount, currency) {
      const decimals = decimalsOf(currency)
      if (decimals === undefined) return texts.smallestUnits(String(amount), currency)
      return amountText(language, amount, currency, decimals)
    },
    parseMoney: (text, decimals) => parseAmount(language, text, decimals),
    time: (text) => times.format(new Date(text)),
    hour: (time) => hours.format(time),
    error: (error, own) => errorText(error, texts, own),
  }
}
