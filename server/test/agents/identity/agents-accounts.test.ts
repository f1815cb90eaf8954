import { expect, test } from 'vitest'
import { newBankAccount } from '../../worlds/client.testing.ts'
import { changePolicy, newAgentPlatform } from '../../worlds/records/agents.testing.ts'

test('a list of internal accounts does not restrict payees; a list of external accounts does, and excludes UMA addresses', async () => {
  const { client, payer, agent } = await newAgentPlatform({
    accountRestrictions: { allowedAccountIds: [] },
  })
  const otherBank = await newBankAccount(client, payer.id, '786')
  const quoteToUma = (amount: number) =>
    agent.post('/agents/me/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: payer.usd },
      destination: { destinationType: 'UMA_ADDRESS', umaAddress: '$success.usd@sandbox.uma.test' },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
    })
  const pull = (bank: string) =>
    agent.post('/agents/me/transfer-in', {
      source: { accountId: bank },
      destination: { accountId: payer.usd },
      amount: 5,
    })
  const buildDenial = (rule: string, subject: string) => ({
    status: 403,
    body: { code: 'FORBIDDEN', details: { rule, subject } },
  })
  const accepted = { status: 201 }
  const tryPayments = async () => [
    await agent.transferOut(payer, 5),
    await agent.transferOut({ ...payer, bank: otherBank }, 5),
    await pull(otherBank),
    await quoteToUma(100),
  ]
  const accountDenial = buildDenial('account', payer.usd)
  expect(await tryPayments()).toMatchObject([accountDenial, accountDenial, accountDenial, accountDenial])
  await changePolicy(client, agent, { accountRestrictions: { allowedAccountIds: [payer.usd] } })
  expect(await tryPayments()).toMatchObject([accepted, accepted, accepted, accepted])
  await changePolicy(client, agent, { accountRestrictions: { allowedExternalAccountIds: [payer.bank] } })
  const payeeDenial = buildDenial('externalAccount', otherBank)
  expect(await tryPayments()).toMatchObject([
    accepted,
    payeeDenial,
    payeeDenial,
    buildDenial('externalAccount', 'UMA addresses'),
  ])
  // A payee that the agent adds itself is not on the list.
  const added = await agent.post('/agents/me/external-accounts', {
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '987654321',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  expect(added.status).toBe(201)
  expect(await agent.transferOut({ ...payer, bank: added.body.id }, 5)).toMatchObject(
    buildDenial('externalAccount', added.body.id),
  )
  await changePolicy(client, agent, { accountRestrictions: { allowedExternalAccountIds: null } })
  expect(await tryPayments()).toMatchObject([accepted, accepted, accepted, accepted])
})

test("every account in an agent's list shows whether its balance is private", async () => {
  const { agent } = await newAgentPlatform()
  const { data } = (await agent.get('/agents/me/internal-accounts')).body
  expect(data.length).toBeGreaterThan(2)
  for (const account of data) expect(account).toMatchObject({ privateEnabled: false })
})

test('a name of only white space is refused as blank', async () => {
  const { client } = await newAgentPlatform()
  for (const fullName of [' ', '\u3000\u00a0']) {
    const { status, body } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
    expect({ status, message: body.message }).toEqual({ status: 400, message: 'fullName must not be blank' })
  }
})
