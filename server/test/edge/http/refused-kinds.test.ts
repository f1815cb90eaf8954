import { expect, test } from 'vitest'
import { newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

const listFaults = ({ body }: Reply) => body.details?.errors

test('a refusal by a handler lists its fault, as a refusal by the schema does', async () => {
  const client = await newPlatform()
  const [usd] = (await client.get('/config')).body.supportedCurrencies
  const reply = await client.send('PATCH', '/config', { supportedCurrencies: [usd, usd] })
  const field = 'supportedCurrencies.1.currencyCode'
  expectError(reply, { code: 'INVALID_INPUT', field })
  expect(listFaults(reply)).toEqual([{ field, message: reply.body.message }])
})

test('a field with an empty name is reported as that field, not as the body', async () => {
  const client = await newPlatform()
  const person = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }
  const [rootFault, nestedFault] = [
    { ...person, '': 1 },
    { ...person, address: { '': 1 } },
  ]
  expectError(await client.post('/customers', rootFault), { code: 'INVALID_INPUT', field: '""' })
  expect(listFaults(await client.post('/customers', nestedFault))).toContainEqual({
    field: 'address.""',
    message: 'address."" is not known',
  })
})

test.each(['%ff', '%', '%c0%80', 'a%zz'])('a query with the bytes %s is refused', async (text) => {
  const client = await newPlatform()
  const reply = await client.get(`/customers?search=${text}`)
  expectError(reply, { code: 'INVALID_INPUT', field: 'query' })
})

test('an origin with a user, a query, a hash or an invalid character is refused', async () => {
  const client = await newPlatform()
  const badHosts = [
    'user@x.example',
    'x.example?a',
    'x.example#a',
    'x.example\\a',
    'x\u0000.example',
    'x\u0007',
    'x\ud800',
  ]
  for (const host of badHosts) {
    const origin = `https://${host}`
    const allowed = await client.send('PATCH', '/config', { allowedOrigins: [origin] })
    expectError(allowed, { code: 'INVALID_INPUT', field: 'allowedOrigins.0', what: origin })
    const passkeyConfig = { rpId: 'x.example', origins: [origin] }
    const passkeys = await client.send('PATCH', '/config', { passkeyConfig })
    expectError(passkeys, { code: 'INVALID_INPUT', field: 'passkeyConfig.origins.0', what: origin })
  }
})

test('an address of another network is refused with an explanation', async () => {
  const client = await newPlatform()
  const { data } = (await client.get('/platform/internal-accounts?currency=USDC')).body
  const reply = await client.post('/crypto/estimate-withdrawal-fee', {
    internalAccountId: data[0].id,
    currency: 'USDC',
    amount: 5_000_000,
    cryptoNetwork: 'BASE',
    destinationAddress: 'nowhere',
  })
  expect(reply.body.message).toBe('destinationAddress must be an address on BASE')
})
