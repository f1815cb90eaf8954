import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError, forEach } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

const DOMAIN = 'sandbox.uma.test'
const REQUIRES_INFO = `$asks.sender.usd@${DOMAIN}`

let client: Client
let customer: Awaited<ReturnType<typeof newCustomer>>
beforeAll(async () => {
  client = await newPlatform()
  customer = await newCustomer(client)
  await fund(client, customer.usd, 10_000)
})

const lookUp = (address: string) => client.get(`/receiver/uma/${encodeURIComponent(address)}`)

function buildQuote(umaAddress: string, accountId: string, more: object = {}) {
  return {
    source: { sourceType: 'ACCOUNT', accountId },
    destination: { destinationType: 'UMA_ADDRESS', umaAddress },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 100,
    ...more,
  }
}

describe('a receiver whose side fails before a payment exists', () => {
  test('is distinguished from a missing one by lookup and quote, as its magic value says', async () => {
    const { data } = (await client.get('/sandbox/magic-values')).body
    const { values } = data.find((one: { family: string }) => one.family === 'UMA_RECEIVER')
    const refusing = values.filter(({ value }: { value: string }) => value !== REQUIRES_INFO)
    expect(refusing.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      '424 LNURLP_REQUEST_FAILED',
      '424 PAYREQ_REQUEST_FAILED',
      '424 COUNTERPARTY_PUBKEY_FETCH_ERROR',
      '400 QUOTE_REQUEST_FAILED',
      '500 SVC_SWITCH_ERROR',
      '412 UNSUPPORTED_UMA_VERSION',
      '424 NO_COMPATIBLE_UMA_VERSION',
    ])
    const agent = await newAgent(client, customer.id)
    await forEach(refusing, async ({ value, outcome }: { value: string; outcome: string }) => {
      const code = outcome.split(' ')[1] as 'QUOTE_REQUEST_FAILED'
      const field = 'destination.umaAddress'
      for (const reply of [
        await client.post('/quotes', buildQuote(value, customer.usd)),
        await agent.post('/agents/me/quotes', buildQuote(value, customer.usd)),
      ])
        expectError(reply, { code, field, what: value })
      const lookup = await lookUp(value)
      if (/PAYREQ|QUOTE|SWITCH/.test(code)) expect(lookup.status, value).toBe(200)
      else expectError(lookup, { code, field: 'receiverUmaAddress', what: value })
    })
  })
})

test('a failed switch moves no money and stores nothing, and its Idempotency-Key can be used again', async () => {
  const { data } = (await client.get('/quotes?limit=100')).body
  const domain = REQUIRES_INFO.split('@')[1]
  const key = { 'Idempotency-Key': 'switch' }
  const body = buildQuote(`$fail.switch.usd@${domain}`, customer.usd, { immediatelyExecute: true })
  for (let attempt = 0; attempt < 2; attempt++) {
    const refused = await client.post('/quotes', body, key)
    expectError(refused, { code: 'SVC_SWITCH_ERROR', field: 'destination.umaAddress' })
  }
  expect((await client.get('/quotes?limit=100')).body.data).toEqual(data)
})

describe('a receiver that requires information about the sender', () => {
  test('is paid if the customer or the quote has it, and refuses a payment without a mandatory field', async () => {
    expect((await lookUp(REQUIRES_INFO)).body.requiredPayerDataFields).toEqual([
      { name: 'FULL_NAME', mandatory: true },
      { name: 'BIRTH_DATE', mandatory: true },
      { name: 'NATIONALITY', mandatory: false },
    ])
    const createQuote = (more: object) =>
      client.post('/quotes', buildQuote(REQUIRES_INFO, customer.usd, more))
    for (const more of [{}, { senderCustomerInfo: { NATIONALITY: 'GB', BIRTH_DATE: ' ' } }]) {
      const refused = await createQuote(more)
      expectError(refused, { code: 'MISSING_MANDATORY_USER_INFO', field: 'senderCustomerInfo' })
      expect(refused.body.details.missing).toEqual(['BIRTH_DATE'])
    }
    expect((await createQuote({ senderCustomerInfo: { BIRTH_DATE: '1990-12-10' } })).status).toBe(201)
    const customerWithBirthDate = await newCustomer(client, { birthDate: '1990-12-10' })
    const accepted = await client.post('/quotes', buildQuote(REQUIRES_INFO, customerWithBirthDate.usd))
    expect(accepted.status, toJson(accepted.body)).toBe(201)
  })
})
