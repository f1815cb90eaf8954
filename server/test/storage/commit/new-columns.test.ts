import { afterAll, beforeAll, expect, test } from 'vitest'
import { INSERTED } from '../../../src/storage/rows/row-columns.ts'
import { fund, newCustomer } from '../../worlds/client.testing.ts'
import { quoted } from '../../worlds/records/payments.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer
beforeAll(async () => {
  service = await openServer()
})
afterAll(() => service.close())

test('a server continues to make payments after an upgrade has added columns to their tables', async () => {
  const client = await service.newPlatform()
  const [payer, payee] = [await newCustomer(client), await newCustomer(client)]
  await fund(client, payer.usd, 10_000)
  const makePayment = async () => {
    const quote = await quoted(
      client,
      { sourceType: 'ACCOUNT', accountId: payer.usd },
      { destinationType: 'ACCOUNT', accountId: payee.usd },
    )
    expect(await client.post(`/quotes/${quote.id}/execute`)).toMatchObject({ status: 200 })
    await client.advance(0)
    return (await client.get(`/transactions/${quote.transactionId}`)).body.status
  }
  expect(await makePayment()).toBe('COMPLETED')
  await service.app.db.script(
    INSERTED.map((table) => `ALTER TABLE ${table} ADD COLUMN planted integer DEFAULT 1;`).join('\n'),
  )
  expect(await Promise.all([makePayment(), makePayment()])).toEqual(['COMPLETED', 'COMPLETED'])
})
