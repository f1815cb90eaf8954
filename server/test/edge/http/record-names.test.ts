import { beforeAll, describe, expect, test } from 'vitest'
import { newPlatform } from '../../worlds/client.testing.ts'
import { newWorld, type World } from '../../worlds/contract/calls.testing.ts'
import { newCustomerClient } from '../../worlds/records/members.testing.ts'
import { account, quoted, to } from '../../worlds/records/payments.testing.ts'

type Name = { readonly id: string; readonly name: string }

let ownWorld: World
let neighbourWorld: World
beforeAll(async () => {
  const client = await newPlatform()
  ;[ownWorld, neighbourWorld] = await Promise.all([newWorld(client), newWorld(client)])
  const { customer, ids } = ownWorld
  await quoted(client, account(customer.usd), to(ids.ExternalAccount!), { immediatelyExecute: true })
  await quoted(client, account(neighbourWorld.customer.usd), to(neighbourWorld.ids.ExternalAccount!), {
    immediatelyExecute: true,
  })
  await client.advance(0)
})

const mapNames = (names: readonly Name[]) => new Map(names.map(({ id, name }) => [id, name]))

describe('the names of a list', () => {
  test('are left out unless requested', async () => {
    expect((await ownWorld.client.get('/transactions')).body.names).toBeUndefined()
    expect((await ownWorld.client.get('/transactions?includeNames=false')).body.names).toBeUndefined()
  })

  test('contain each customer and account of the rows once, named like its record', async () => {
    const { client, customer, ids } = ownWorld
    const { body } = await client.get('/transactions?includeNames=true&limit=100')
    const names = mapNames(body.names)
    expect(names.size).toBe(body.names.length)
    const record = (await client.get(`/customers/${customer.id}`)).body
    const expectedName = record.fullName ?? record.email ?? record.platformCustomerId
    expect(names.get(customer.id)).toBe(expectedName)
    expect(names.get(customer.usd)).toBe(expectedName)
    const { accountInfo } = (await client.get(`/customers/external-accounts/${ids.ExternalAccount}`)).body
    const payee = names.get(ids.ExternalAccount!)!
    expect(payee).toContain(accountInfo.beneficiary.fullName ?? accountInfo.beneficiary.legalName)
    expect(payee).toMatch(/•••• \w{4}$/)
  })

  test.each([
    ['/cards', 'cardholderId'],
    ['/agents', 'customerId'],
    ['/verifications', 'customerId'],
    ['/funds-holds', 'customerId'],
    ['/ledger/accounts', 'owner'],
  ])('of %s cover every %s that can be read', async (path, member) => {
    const { body } = await ownWorld.client.get(`${path}?includeNames=true&limit=100`)
    const names = mapNames(body.names)
    expect(names.size).toBeGreaterThan(0)
    for (const row of body.data) {
      const id: string = row[member]
      if (!id.startsWith('Customer:')) continue
      const { status } = await ownWorld.client.get(`/customers/${id}`)
      expect(names.has(id), id).toBe(status === 200)
    }
  })

  test("cover only what the caller may see, so a customer's token gets its own names", async () => {
    const customer = await newCustomerClient(ownWorld.client, ownWorld.customer.id)
    const { body } = await customer.get('/transactions?includeNames=true&limit=100')
    expect(body.data.length).toBeGreaterThan(0)
    const ids = body.names.map(({ id }: Name) => id)
    expect(ids).toContain(ownWorld.customer.id)
    expect(ids).not.toContain(neighbourWorld.customer.id)
    expect(ids).not.toContain(neighbourWorld.customer.usd)
  })

  test('leave out an external account that was deleted', async () => {
    const { client, ids } = ownWorld
    expect(
      (await client.send('DELETE', `/customers/external-accounts/${ids.ExternalAccount}`)).status,
    ).toBeLessThan(300)
    const { body } = await client.get('/transactions?includeNames=true&limit=100')
    expect(body.names.map(({ id }: Name) => id)).not.toContain(ids.ExternalAccount)
  })
})
