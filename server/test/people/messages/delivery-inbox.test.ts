import type { Permission } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/edge/service/first-platform.ts'
import { type Mailing, openMailing, TestPlatform } from '../../worlds/production/mail.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let sandbox: Mailing

beforeAll(async () => {
  // The sandbox sends nothing, whatever the mail server settings are.
  sandbox = await openMailing({ COUNTERSIGN_MODE: 'sandbox' })
})
afterAll(() => sandbox.close())

async function createInboxReader(platform: TestPlatform, permissions: Permission[] = ['VIEW']) {
  const { service, id } = platform
  const { tokenId, clientSecret } = await createToken(service.app, id, 'Test', permissions)
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  return async (query: Record<string, string> = {}) => {
    const url = `/2025-10-13/sandbox/inbox?${new URLSearchParams(query)}`
    const reply = await service.server.inject({ url, headers: { authorization } })
    return { status: reply.statusCode, body: reply.json() }
  }
}

describe('the inbox of the sandbox', () => {
  test('shows the e-mail that production would send, and keeps it', async () => {
    const platform = await sandbox.newPlatform({
      appName: 'Unicorn',
      sendFromEmailAddress: 'login@unicorn.example',
      sendFromEmailSenderName: 'Unicorn login',
      replyToEmailAddress: 'help@unicorn.example',
    })
    const { account, credential } = await platform.holder('ada.inbox@example.com')
    const { id } = await platform.challenge({ account, credential })
    expect(await platform.stored()).not.toContain('message.deliver')
    const inbox = await createInboxReader(platform)
    const { status, body } = await inbox()
    expect(status).toBe(200)
    const now = (await platform.op()).now
    expect(body).toEqual({
      data: [
        {
          id,
          channel: 'EMAIL',
          status: 'DELIVERED',
          recipient: 'ada.inbox@example.com',
          customerId: account.customer_id,
          accountId: account.id,
          credentialId: credential.id,
          from: { name: 'Unicorn login', address: 'login@unicorn.example' },
          replyTo: 'help@unicorn.example',
          subject: 'Your Unicorn sign-in code',
          text: expect.stringContaining('\n    000000\n'),
          html: expect.stringContaining('>000000</p>'),
          expiresAt: new Date(now.getTime() + 300_000).toISOString(),
          deliveredAt: now.toISOString(),
          createdAt: now.toISOString(),
          updatedAt: now.toISOString(),
        },
      ],
      hasMore: false,
      totalCount: 1,
    })
    await platform.advance(3600)
    expect((await inbox()).body.data[0].text).toContain('000000')
  })

  test('shows a text message', async () => {
    const platform = await sandbox.newPlatform({ appName: 'Unicorn' })
    await platform.challenge(await platform.holder('+14155550123'))
    const [message] = (await (await createInboxReader(platform))()).body.data
    expect(message).toMatchObject({
      channel: 'SMS',
      recipient: '+14155550123',
      text: expect.stringMatching(/^Your Unicorn code is 000000\. [^\n]+$/),
    })
    for (const field of ['subject', 'html', 'from', 'replyTo']) expect(message).not.toHaveProperty(field)
  })

  test('can be filtered, by one filter or several', async () => {
    const platform = await sandbox.newPlatform()
    const [ada, bob] = [
      await platform.holder('Ada.Filter@example.com'),
      await platform.holder('bob.filter@example.com'),
    ]
    const sms = await platform.holder('+14155550124')
    const ids = new Map<string, string>()
    for (const [name, holder] of Object.entries({ ada, bob, sms })) {
      ids.set(name, (await platform.challenge(holder)).id)
      await platform.advance(1)
    }
    const inbox = await createInboxReader(platform)
    const findNames = async (query: Record<string, string>) => {
      const { body } = await inbox(query)
      return body.data.map(({ id }: { id: string }) => [...ids].find(([, known]) => known === id)?.[0])
    }
    expect(await findNames({})).toEqual(['sms', 'bob', 'ada'])
    expect(await findNames({ recipient: 'ADA.filter@EXAMPLE.com' })).toEqual(['ada'])
    expect(await findNames({ recipient: 'ada.filter' })).toEqual([])
    expect(await findNames({ recipient: '+14155550124' })).toEqual(['sms'])
    expect(await findNames({ channel: 'EMAIL' })).toEqual(['bob', 'ada'])
    expect(await findNames({ channel: 'SMS' })).toEqual(['sms'])
    expect(await findNames({ customerId: bob.account.customer_id! })).toEqual(['bob'])
    expect(
      await findNames({
        channel: 'EMAIL',
        customerId: ada.account.customer_id!,
        recipient: 'ada.filter@example.com',
      }),
    ).toEqual(['ada'])
    expect(await findNames({ channel: 'SMS', customerId: ada.account.customer_id! })).toEqual([])
    expect(await inbox({ channel: 'FAX' })).toMatchObject({
      status: 400,
      body: { details: { field: 'channel' } },
    })
  })

  test('is paginated, and a cursor works only with the same filters', async () => {
    const platform = await sandbox.newPlatform()
    const holder = await platform.holder()
    const sentIds: string[] = []
    for (let i = 0; i < 5; i++) sentIds.unshift((await platform.challenge(holder)).id)
    const inbox = await createInboxReader(platform)
    const listedIds: string[] = []
    let cursor: string | undefined
    const totals: unknown[] = []
    do {
      const { body } = await inbox({ limit: '2', channel: 'EMAIL', ...(cursor ? { cursor } : {}) })
      listedIds.push(...body.data.map(({ id }: { id: string }) => id))
      totals.push(body.totalCount)
      cursor = body.nextCursor
    } while (cursor)
    expect([...listedIds].sort()).toEqual([...sentIds].sort())
    expect(totals).toEqual([5, 5, 5])
    const { nextCursor } = (await inbox({ limit: '2', channel: 'EMAIL' })).body
    expect(await inbox({ limit: '2', channel: 'SMS', cursor: nextCursor })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field: 'cursor' } },
    })
  })

  test("shows only a platform's own messages", async () => {
    const [platform, otherPlatform] = [await sandbox.newPlatform(), await sandbox.newPlatform()]
    const holder = await otherPlatform.holder('other.inbox@example.com')
    await otherPlatform.challenge(holder)
    const inbox = await createInboxReader(platform)
    const queries: Record<string, string>[] = [
      {},
      { recipient: 'other.inbox@example.com' },
      { customerId: holder.account.customer_id! },
    ]
    for (const query of queries) expect((await inbox(query)).body).toMatchObject({ data: [], totalCount: 0 })
  })

  test('needs the permission VIEW', async () => {
    const inbox = await createInboxReader(await sandbox.newPlatform(), ['TRANSACT', 'MANAGE'])
    expect(await inbox()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  })

  test('does not exist in production', async () => {
    const inbox = await createInboxReader(await TestPlatform.create(await world('production')))
    expect(await inbox()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})
