import { type BodyInput, CountersignError, type Nouns } from '@countersign/sdk'
import { useAction, useCountersign, useQuote, useSession, useWords } from '@countersign/sdk/react'
import type { FormEvent } from 'react'

type BankAccount = BodyInput<'customer_external_account_create'>['accountInfo']

const SAID = {
  NONE: '',
  QUOTED: '',
  UNDER_WAY: 'paymentUnderWay',
  SETTLED: 'paymentSettled',
  FAILED: 'paymentFailed',
} as const

/** The payee as an account of the customer's: a new one, or the one that is there already. */
async function accountOf(api: Nouns, customerId: string, accountInfo: BankAccount): Promise<string> {
  try {
    return (await api.externalAccounts.create({ customerId, currency: 'USD', accountInfo })).id
  } catch (error) {
    const known = error instanceof CountersignError && error.details.externalAccountId
    if (typeof known === 'string') return known
    throw error
  }
}

/** The payment of what the form says. */
function usePayment() {
  const { api, customerId } = useCountersign()
  const { parseMoney } = useWords()
  const payment = useQuote()
  const pay = useAction(async (form: FormData) => {
    const of = (name: string) => String(form.get(name)).trim()
    const lockedCurrencyAmount = parseMoney(of('amount'), 2)
    if (lockedCurrencyAmount === undefined) throw new RangeError('not an amount')
    const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: of('payee') } as const
    const bank = { accountNumber: of('accountNumber'), routingNumber: of('routingNumber') }
    const accountInfo = { accountType: 'USD_ACCOUNT', ...bank, beneficiary } as const
    const accountId = await accountOf(api, customerId, accountInfo)
    const destination = { destinationType: 'ACCOUNT', accountId } as const
    const quote = await payment.create({ destination, lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount })
    if (quote) await payment.execute(quote)
  })
  return { pay, phase: payment.phase, error: pay.error ?? payment.error }
}

/** A form of this app: pays dollars to a bank account in the United States. The kit shows what is signed, and signs. */
export function Pay() {
  const { session } = useSession()
  const { texts, error: errorText } = useWords()
  const { pay, phase, error } = usePayment()
  if (!session) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void pay.run(new FormData(event.currentTarget))
  }
  const said = SAID[phase]
  return (
    <form className="cs-section" onSubmit={submit} aria-labelledby="pay">
      <h2 className="cs-title" id="pay">
        Pay
      </h2>
      <Field name="payee" label="Name of the payee" />
      <Field name="accountNumber" label="Account number" />
      <Field name="routingNumber" label="Routing number" defaultValue="021000021" />
      <Field name="amount" label="Dollars to arrive" />
      <p role="status">{said && texts[said]}</p>
      <p role="alert" className="wrong">
        {error === undefined ? '' : error instanceof RangeError ? texts.wrongAmount : errorText(error)}
      </p>
      <button type="submit" className="cs-button cs-primary" aria-disabled={pay.isBusy}>
        Pay
      </button>
    </form>
  )
}

function Field({ name, label, defaultValue = '' }: { name: string; label: string; defaultValue?: string }) {
  return (
    <div>
      <label htmlFor={name}>{label}</label>
      <input id={name} name={name} defaultValue={defaultValue} autoComplete="off" required />
    </div>
  )
}
