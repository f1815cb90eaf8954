import { expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'

async function createQuote(client: Client, accountId: string, to: string, amount: number): Promise<string> {
  const { body } = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId },
    destination: { destinationType: 'ACCOUNT', accountId: to },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: amount,
  })
  return body.id
}

test('quotes are listed newest first, by customer, status and time, with the fields of a single read', async () => {
  const client = await newPlatform()
  const [ada, grace] = [await newCustomer(client), await newCustomer(client)]
  const [adaBank, graceBank] = [await newBankAccount(client, ada.id), await newBankAccount(client, grace.id)]
  await fund(client, ada.usd, 100_000)
  const first = await createQuote(client, ada.usd, adaBank, 1_000)
  const second = await createQuote(client, ada.usd, adaBank, 2_000)
  const third = await createQuote(client, grace.usd, graceBank, 3_000)
  // A quote from a wallet includes the payload to sign.
  const wallet = await createQuote(client, ada.wallet, adaBank, 1_000_000)
  expect((await client.post(`/quotes/${first}/execute`)).status).toBe(200)
  await client.advance(0)
  const listQuoteIds = async (query: string) =>
    (await client.get(`/quotes?${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await listQuoteIds('')).toEqual([wallet, third, second, first])
  expect(await listQuoteIds(`customerId=${ada.id}`)).toEqual([wallet, second, first])
  expect(await listQuoteIds('status=COMPLETED')).toEqual([first])
  expect(await listQuoteIds(`status=PENDING&customerId=${grace.id}`)).toEqual([third])
  const { createdAt } = (await client.get(`/quotes/${third}`)).body
  expect(await listQuoteIds(`startDate=${createdAt}`)).toEqual([wallet, third])
  const { data, nextCursor } = (await client.get('/quotes?limit=2')).body
  expect(data).toEqual([
    (await client.get(`/quotes/${wallet}`)).body,
    (await client.get(`/quotes/${third}`)).body,
  ])
  expect(data[0].paymentInstructions[0].accountOrWalletInfo.payloadToSign).toContain(wallet)
  expect(await listQuoteIds(`limit=2&cursor=${nextCursor}`)).toEqual([second, first])
  expect((await (await newPlatform()).get(`/quotes?customerId=${ada.id}`)).body.data).toEqual([])
})
