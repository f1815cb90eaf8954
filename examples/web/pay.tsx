import { type BodyInput, type Caller, CountersignError } from '@countersign/sdk'
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
async function accountOf(client: Caller, customerId: string, accountInfo: BankAccount): Promise<string> {
  try {
    const body = { customerId, currency: 'USD', accountInfo }
    return (await client.call('customer_external_account_create', { body })).body.id
  } catch (error) {
    const known = error instanceof CountersignError && error.details.externalAccountId
    if (typeof known === 'string') return known
    throw error
  }
}

/** A form of this app: pays dollars to a bank account in the United States. The kit shows what is signed, and signs. */
export function Pay() {
  const { client, customerId } = useCountersign()
  const { session } = useSession()
  const payment = useQuote()
  const words = useWords()
  const pay = useAction(async (form: FormData) => {
    const of = (name: string) => String(form.get(name)).trim()
    const amount = words.parseMoney(of('amount'), 2)
    if (amount === undefined) throw new RangeError('not an amount')
    const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: of('payee') } as const
    const bank = { accountNumber: of('accountNumber'), routingNumber: of('routingNumber') }
    const accountInfo = { accountType: 'USD_ACCOUNT', ...bank, beneficiary } as const
    const destination = {
      destinationType: 'ACCOUNT',
      accountId: await accountOf(client, customerId, accountInfo),
    } as const
    const quote = await payment.create({
      destination,
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: amount,
    })
    if (quote) await payment.execute(quote)
  })
  if (!session) return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void pay.run(new FormData(event.currentTarget))
  }
  const error = pay.error ?? payment.error
  const said = SAID[payment.phase]
  return (
    <form className="cs-section" onSubmit={submit} aria-labelledby="pay">
      <h2 className="cs-title" id="pay">
        Pay
      </h2>
      <label htmlFor="payee">Name of the payee</label>
      <input id="payee" name="payee" autoComplete="off" required />
      <label htmlFor="account-number">Account number</label>
      <input id="account-number" name="accountNumber" inputMode="numeric" autoComplete="off" required />
      <label htmlFor="routing-number">Routing number</label>
      <input
        id="routing-number"
        name="routingNumber"
        inputMode="numeric"
        autoComplete="off"
        defaultValue="021000021"
        required
      />
      <label htmlFor="amount">Dollars to arrive</label>
      <input id="amount" name="amount" inputMode="decimal" autoComplete="off" required />
      <p role="status">{said && words.texts[said]}</p>
      <p role="alert" className="wrong">
        {error === undefined
          ? ''
          : error instanceof RangeError
            ? words.texts.wrongAmount
            : words.error(error)}
      </p>
      <button type="submit" className="cs-button cs-primary" aria-disabled={pay.isBusy}>
        Pay
      </button>
    </form>
  )
}
