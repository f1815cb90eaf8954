'use client'

import { type ReactNode, useId, useState } from 'react'
import { CountersignError } from '../client/errors.ts'
import type { Nouns } from '../generated/nouns.ts'
import { BANKS, type BankAccount, type BankKind } from './bank-kinds.ts'
import type { Styled } from './class-names.ts'
import { useCountersign } from './context.ts'
import { AmountError, findDecimals } from './money.ts'
import { Field, Form, Section, useParts } from './parts.tsx'
import { useAction } from './use-action.ts'
import { useQuote } from './use-quote.ts'
import { useSession } from './use-session.ts'
import { useWords } from './use-words.ts'

export interface PayFormProps extends Styled {
  /** The currencies that can be selected. Default: only USD. */
  readonly currencies?: readonly BankKind[]
}

const USD_ONLY: readonly BankKind[] = ['USD']

const STATUS = { UNDER_WAY: 'paymentUnderWay', SETTLED: 'paymentSettled', FAILED: 'paymentFailed' } as const

/**
 * Pays a person's bank account from the wallet. Needs `ConfirmPayment` on the page, which shows the payment
 * before it is signed. Renders nothing unless a customer is signed in.
 */
export function PayForm({ currencies = USD_ONLY, classNames }: PayFormProps): ReactNode {
  const { session } = useSession()
  const { texts } = useWords()
  const [currency, setCurrency] = useState(currencies[0] ?? 'USD')
  const { pay, phase, error } = usePayment(currency)
  if (!session) return null
  const styled = classNames && { classNames }
  const statusText = phase === 'NONE' || phase === 'QUOTED' ? undefined : STATUS[phase]
  return (
    <Section name="pay" title={texts.pay} {...styled}>
      <Form
        submitLabel={texts.pay}
        isBusy={pay.isBusy}
        status={statusText && texts[statusText]}
        error={error}
        onSubmit={(form) => void pay.run(form)}
        {...styled}
      >
        {currencies.length > 1 ? (
          <Currency currencies={currencies} value={currency} onChange={setCurrency} {...styled} />
        ) : null}
        <Field name="fullName" label={texts.payeeName} {...styled} />
        {BANKS[currency].fields.map((name) => (
          <Field key={name} name={name} label={texts.fields[name]} {...styled} />
        ))}
        <Field name="amount" label={texts.amountIn(currency)} inputMode="decimal" {...styled} />
      </Form>
    </Section>
  )
}

function Currency(
  props: Styled & {
    readonly currencies: readonly BankKind[]
    readonly value: BankKind
    readonly onChange: (currency: BankKind) => void
  },
): ReactNode {
  const { currencies, value, onChange, classNames } = props
  const { texts } = useWords()
  const id = useId()
  const part = useParts(classNames)
  return (
    <div>
      <label className={part('label')} htmlFor={id}>
        {texts.fields.currency}
      </label>
      <select
        className={part('input')}
        id={id}
        value={value}
        onChange={({ target }) => {
          const selected = currencies.find((currency) => currency === target.value)
          if (selected) onChange(selected)
        }}
      >
        {currencies.map((currency) => (
          <option key={currency}>{currency}</option>
        ))}
      </select>
    </div>
  )
}

/** Pays the payee and amount in a submitted form. */
function usePayment(currency: BankKind) {
  const { api, customerId } = useCountersign()
  const { parseMoney } = useWords()
  const payment = useQuote()
  const pay = useAction(async (form: FormData) => {
    const getField = (name: string) => String(form.get(name)).trim()
    const lockedCurrencyAmount = parseMoney(getField('amount'), findDecimals(currency) ?? 0)
    if (lockedCurrencyAmount === undefined) throw new AmountError('not an amount')
    const accountId = await findOrCreateAccount(
      api,
      customerId,
      currency,
      BANKS[currency].accountInfo(getField),
    )
    const destination = { destinationType: 'ACCOUNT', accountId } as const
    const quote = await payment.create({ destination, lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount })
    if (quote) await payment.execute(quote)
  })
  return { pay, phase: payment.phase, error: pay.error ?? payment.error }
}

/** Creates the customer's external account for the payee, or returns the id of an existing one. */
async function findOrCreateAccount(
  api: Nouns,
  customerId: string,
  currency: BankKind,
  accountInfo: BankAccount,
): Promise<string> {
  try {
    return (await api.externalAccounts.create({ customerId, currency, accountInfo })).id
  } catch (error) {
    const existingId = error instanceof CountersignError && error.details.externalAccountId
    if (typeof existingId === 'string') return existingId
    throw error
  }
}
