import { expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'

async function quoteFor(client: Client, accountId: string, to: string, amount: number): Promise<string> {
  const { body } = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId },
    destination: { destinationType: 'ACCOUNT', accountId: to },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: amount,
  })
  return body.id
}

test('quotes are listed newest first, by customer, status and time, each as it is read alone', async () => {
  const client = await newPlatform()
  const [ada, grace] = [await newCustomer(client), await newCustomer(client)]
  const [ofAda, ofGrace] = [await newBankAccount(client, ada.id), await newBankAccount(client, grace.id)]
  await fund(client, ada.usd, 100_000)
  const first = await quoteFor(client, ada.usd, ofAda, 1_000)
  const second = await quoteFor(client, ada.usd, ofAda, 2_000)
  const third = await quoteFor(client, grace.usd, ofGrace, 3_000)
  // A wallet's quote has what the wallet signs.
  const wallet = await quoteFor(client, ada.wallet, ofAda, 1_000_000)
  expect((await client.post(`/quotes/${first}/execute`)).status).toBe(200)
  await client.advance(0)
  const found = async (query: string) =>
    (await client.get(`/quotes?${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await found('')).toEqual([wallet, third, second, first])
  expect(await found(`customerId=${ada.id}`)).toEqual([wallet, second, first])
  expect(await found('status=COMPLETED')).toEqual([first])
  expect(await found(`status=PENDING&customerId=${grace.id}`)).toEqual([third])
  const { createdAt } = (await client.get(`/quotes/${third}`)).body
  expect(await found(`startDate=${createdAt}`)).toEqual([wallet, third])
  const { data, nextCursor } = (await client.get('/quotes?limit=2')).body
  expect(data).toEqual([
    (await client.get(`/quotes/${wallet}`)).body,
    (await client.get(`/quotes/${third}`)).body,
  ])
  expect(data[0].paymentInstructions[0].accountOrWalletInfo.payloadToSign).toContain(wallet)
  expect(await found(`limit=2&cursor=${nextCursor}`)).toEqual([second, first])
  expect((await (await newPlatform()).get(`/quotes?customerId=${ada.id}`)).body.data).toEqual([])
})
