/**
 * Makes a sandbox payment from sign-in to settlement, as a platform's program would, using only the published
 * packages. Resolves to the values that the test checks.
 */
export async function pay({ Countersign, CountersignError, DeviceKey }, credentials) {
  const countersign = new Countersign(credentials)
  const { body: customer } = await countersign.call('customer_create', {
    body: {
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
      email: `${crypto.randomUUID()}@example.com`,
    },
  })
  const { body: accounts } = await countersign.call('customer_internal_account_list', {
    query: { customerId: customer.id, type: 'EMBEDDED_WALLET' },
  })
  const accountId = accounts.data[0].id
  await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: 100_000_000n } })
  const { body: bank } = await countersign.call('customer_external_account_create', {
    body: {
      customerId: customer.id,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '000123456789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    },
  })
  const { body: quote } = await countersign.call('quote_create', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId },
      destination: { destinationType: 'ACCOUNT', accountId: bank.id },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 2500n,
    },
  })
  const shown = []
  const wallet = countersign.wallet(accountId, { confirm: ({ summary }) => shown.push(summary) > 0 })
  const session = await wallet.email.signIn({ code: async () => '000000' })
  await countersign.signed('quote_execute', { params: { quoteId: quote.id } }, session)
  const transaction = await countersign.waitForTransaction(quote.transactionId)
  const refused = await countersign
    .call('customer_get', { params: { customerId: accountId } })
    .catch((error) => (error instanceof CountersignError ? error.code : String(error)))
  const key = await DeviceKey.generate()
  return {
    status: transaction.status,
    sent: typeof quote.totalSendingAmount,
    shown: shown.length,
    refused,
    publicKey: key.publicKey,
  }
}
