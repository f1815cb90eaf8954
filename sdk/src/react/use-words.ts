import { useMemo } from 'react'
import { formatError, type Sentence } from './error-texts.ts'
import { useLook } from './look.tsx'
import { findDecimals, formatAmount, parseAmount } from './money.ts'
import type { Texts } from './texts/texts.ts'

/** An amount as it appears in records. */
interface CurrencyAmount {
  readonly amount: bigint
  readonly currency: { readonly code: string; readonly decimals: number }
}

/** Formatting functions for the customer's language. */
export interface Words {
  readonly texts: Texts
  /** Formats an amount from a record. */
  readonly money: (value: CurrencyAmount, signDisplay?: 'auto' | 'always') => string
  /** Formats an amount from a signed payload, which only contains the currency code. */
  readonly signedMoney: (amount: bigint, currency: string) => string
  /**
   * Parses a typed amount to the smallest unit of a currency with this many decimal places. Undefined if it
   * is not an amount.
   */
  readonly parseMoney: (text: string, decimals: number) => bigint | undefined
  /** Formats an ISO 8601 time as date and time. */
  readonly time: (text: string | Date) => string
  /** Formats the time of day. */
  readonly hour: (time: Date) => string
  /** Formats an error. `own` overrides the message for individual codes. */
  readonly error: (error: unknown, own?: Readonly<Record<string, Sentence>>) => string
}

export function useWords(): Words {
  const { language, texts } = useLook()
  return useMemo(() => createWords(language, texts), [language, texts])
}

export function createWords(language: string, texts: Texts): Words {
  const times = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const hours = new Intl.DateTimeFormat(language, { timeStyle: 'short' })
  return {
    texts,
    money: ({ amount, currency: { code, decimals } }, signDisplay) =>
      formatAmount(language, amount, code, decimals, signDisplay),
    signedMoney(amount, currency) {
      const decimals = findDecimals(currency)
      if (decimals === undefined) return texts.smallestUnits(String(amount), currency)
      return formatAmount(language, amount, currency, decimals)
    },
    parseMoney: (text, decimals) => parseAmount(language, text, decimals),
    time: (text) => times.format(new Date(text)),
    hour: (time) => hours.format(time),
    error: (error, own) => formatError(error, texts, own),
  }
}
