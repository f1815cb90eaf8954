import { beforeAll, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { type Client, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const UNAMBIGUOUS = /^[0-9A-HJKMNP-TV-Z]{8}$/

interface Side {
  readonly client: Client
  readonly id: string
  readonly uma: string
}

async function newSide(client: Client, more: object = {}): Promise<Side> {
  const { id } = await newCustomer(client, { ...more })
  return { client, id, uma: (await client.get(`/customers/${id}`)).body.umaAddress }
}

let inviter: Side
/** On another platform. */
let invitee: Side
beforeAll(async () => {
  inviter = await newSide(await newPlatform(), { currencies: ['EUR', 'USD'] })
  invitee = await newSide(await newPlatform())
})

async function createInvitation(body: object = {}, { client, uma }: Side = inviter): Promise<Reply['body']> {
  const reply = await client.post('/invitations', { inviterUma: uma, ...body })
  expect(reply.status).toBe(201)
  return reply.body
}

const claim = (code: string, { client, uma }: Side = invitee) =>
  client.post(`/invitations/${code}/claim`, { inviteeUma: uma })
const cancel = (code: string, { client }: Side = inviter) => client.post(`/invitations/${code}/cancel`)
const readInvitation = ({ client }: Side, code: string) => client.get(`/invitations/${code}`)

describe('an invitation', () => {
  test('has a unique code, and looks the same to every platform that has the code', async () => {
    const invitation = await createInvitation({ firstName: 'Grace', amountToSend: 1234 })
    expect(invitation).toEqual({
      code: expect.stringMatching(UNAMBIGUOUS),
      createdAt: expect.any(String),
      url: `https://invitations.example/${invitation.code}`,
      inviterUma: inviter.uma,
      status: 'PENDING',
      firstName: 'Grace',
      amountToSend: { amount: 1234, currency: { code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 } },
    })
    expect((await createInvitation()).code).not.toBe(invitation.code)
    expect((await readInvitation(inviter, invitation.code)).body).toEqual(invitation)
    expect((await readInvitation(invitee, invitation.code)).body).toEqual(invitation)
  })

  test('is found by a code in lower case or with lookalike letters', async () => {
    const { code } = await createInvitation()
    const typed = code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')
    expect((await readInvitation(invitee, typed)).body.code).toBe(code)
  })

  test('shows the amount in the first currency of the platform if the inviter has no currency', async () => {
    const withoutCurrency = await newSide(inviter.client)
    const { amountToSend } = await createInvitation({ amountToSend: 5 }, withoutCurrency)
    expect(amountToSend.currency.code).toBe('USD')
  })

  test('requires a customer of the platform, an expiry in the future and a positive amount', async () => {
    const { client, uma } = inviter
    const invalidCases = [
      [{ inviterUma: invitee.uma }, 'INVALID_UMA_ADDRESS', 'inviterUma'],
      [{ inviterUma: 'ada@example.com' }, 'INVALID_UMA_ADDRESS', 'inviterUma'],
      [{ inviterUma: uma, amountToSend: 0 }, 'INVALID_INPUT', 'amountToSend'],
      [{ inviterUma: uma, expiresAt: '2020-01-01T00:00:00Z' }, 'INVALID_INPUT', 'expiresAt'],
    ] as const
    for (const [body, code, field] of invalidCases)
      expectError(await client.post('/invitations', body), { code, field })
    expect((await client.post('/invitations', { inviterUma: uma.toUpperCase() })).status).toBe(201)
  })

  test("has the platform's URL, and cannot be created without that setting", async () => {
    const host = await newSide(await newPlatform())
    const { client } = host
    const setUrl = (url: string | null) => client.send('PATCH', '/config', { invitationConfig: { url } })
    expect((await setUrl('https://shop.example/join?code={code}')).body.invitationConfig).toEqual({
      url: 'https://shop.example/join?code={code}',
    })
    const invitation = await createInvitation({}, host)
    expect(invitation.url).toBe(`https://shop.example/join?code=${invitation.code}`)
    for (const url of ['https://shop.example/join', 'http://a.example/{code}', 'https://a:b/{code}'])
      expectError(await setUrl(url), { code: 'INVALID_INPUT', field: 'invitationConfig.url' })
    expect((await setUrl(null)).body).not.toHaveProperty('invitationConfig')
    expect((await client.get('/config')).body).not.toHaveProperty('invitationConfig')
    expectError(await client.post('/invitations', { inviterUma: host.uma }), {
      code: 'INVITATIONS_NOT_CONFIGURED',
    })
    expect((await readInvitation(host, invitation.code)).body.url).toBe(invitation.url)
  })
})

describe('a claim of an invitation', () => {
  test('by another platform is reported once to the inviting platform, with the time of its clock', async () => {
    const host = await newSide(await newPlatform())
    const receiver = await Receiver.of(host.client)
    await host.client.advance(86_400)
    const { code } = await createInvitation({}, host)
    const claimed = await claim(code)
    const { now } = (await host.client.get('/sandbox/clock')).body
    expect(claimed.body).toMatchObject({
      code,
      status: 'CLAIMED',
      inviteeUma: invitee.uma,
      inviterUma: host.uma,
    })
    expect(Math.abs(Date.parse(claimed.body.claimedAt) - Date.parse(now))).toBeLessThan(timeLimit(60_000))
    const expectedEvent = { type: 'INVITATION.CLAIMED', objectId: code, sequence: 1, data: claimed.body }
    await receiver.until((all) => all.some(({ event }) => event.objectId === code))
    const deliveries = receiver.received.filter(({ event }) => event.objectId === code)
    expect(deliveries.map(({ event }) => event)).toMatchObject([expectedEvent])
    expect(await host.client.events(`&objectId=${code}`)).toMatchObject([expectedEvent])
    expect(await invitee.client.events(`&objectId=${code}`)).toEqual([])
    expect((await readInvitation(host, code)).body).toEqual(claimed.body)
  })

  test('requires a customer of the claiming platform who is not the inviter', async () => {
    const { code } = await createInvitation()
    const invalidCases = [
      [invitee.client, inviter.uma],
      [invitee.client, '$nobody@uma.example'],
      [invitee.client, 'nobody'],
      [inviter.client, inviter.uma],
    ] as const
    for (const [client, inviteeUma] of invalidCases)
      expectError(await client.post(`/invitations/${code}/claim`, { inviteeUma }), {
        code: 'INVALID_UMA_ADDRESS',
        field: 'inviteeUma',
      })
    const neighbour = await newSide(inviter.client)
    expect((await claim(code, neighbour)).status).toBe(200)
  })

  test('succeeds once among fifty concurrent claims, and once at most among claims and cancellations', async () => {
    const { code } = await createInvitation()
    const replies = await Promise.all(Array.from({ length: 50 }, () => claim(code)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200))
      expectError(reply, { code: 'INVITATION_ALREADY_CLAIMED', field: 'invitationCode' })
    expect(await inviter.client.events(`&objectId=${code}`)).toHaveLength(1)

    const racedCode = (await createInvitation()).code
    const race = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? claim(racedCode) : cancel(racedCode))),
    )
    const [winner] = race.filter(({ status }) => status === 200)
    expect(race.filter(({ status }) => status === 200)).toHaveLength(1)
    const events = await inviter.client.events(`&objectId=${racedCode}`)
    expect(events).toHaveLength(winner!.body.status === 'CLAIMED' ? 1 : 0)
  })

  test('is refused if the invitation is cancelled or its inviter is deleted', async () => {
    const { code } = await createInvitation()
    expect((await cancel(code)).body).toMatchObject({ code, status: 'CANCELLED' })
    expectError(await claim(code), { code: 'INVITATION_CANCELLED' })
    expectError(await cancel(code), { code: 'INVITATION_CANCELLED' })
    const leavingSide = await newSide(await newPlatform())
    const orphan = await createInvitation({}, leavingSide)
    expect((await leavingSide.client.send('DELETE', `/customers/${leavingSide.id}`)).status).toBeLessThan(300)
    expect((await readInvitation(invitee, orphan.code)).body.status).toBe('CANCELLED')
    expectError(await claim(orphan.code), { code: 'INVITATION_CANCELLED' })
  })

  test('is refused like an unknown code if the inviting platform was reset', async () => {
    const host = await newSide(await newPlatform())
    const { code } = await createInvitation({}, host)
    expect((await host.client.post('/sandbox/reset')).status).toBe(200)
    expectError(await claim(code), { code: 'INVITATION_NOT_FOUND', field: 'invitationCode' })
  })
})

test('only the platform that created an invitation can cancel it', async () => {
  const { code } = await createInvitation()
  expectError(await cancel(code, invitee), { code: 'FORBIDDEN' })
  await claim(code)
  expectError(await cancel(code), { code: 'INVITATION_ALREADY_CLAIMED' })
  expectError(await cancel(code, invitee), { code: 'FORBIDDEN' })
})

test('an invitation expires exactly on time by the clock of its platform, and a claimed one does not expire', async () => {
  const host = await newSide(await newPlatform())
  const { now } = (await host.client.get('/sandbox/clock')).body
  const timeAfter = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString()
  const [soon, later] = [
    await createInvitation({ expiresAt: timeAfter(3600) }, host),
    await createInvitation({ expiresAt: timeAfter(7200) }, host),
  ]
  expect(soon.expiresAt).toBe(timeAfter(3600))
  await invitee.client.advance(7200)
  expect((await readInvitation(invitee, soon.code)).body.status).toBe('PENDING')
  await host.client.advance(3600)
  for (const side of [host, invitee])
    expect((await readInvitation(side, soon.code)).body.status).toBe('EXPIRED')
  expectError(await claim(soon.code), { code: 'INVITATION_EXPIRED', field: 'invitationCode' })
  expectError(await cancel(soon.code, host), { code: 'INVITATION_EXPIRED' })
  expect((await claim(later.code)).status).toBe(200)
  await host.client.advance(7200)
  expect((await readInvitation(host, later.code)).body.status).toBe('CLAIMED')
})

test('a platform that tries wrong codes is rate limited, even for correct codes, and other platforms are not', async () => {
  const guesser = await newSide(await newPlatform())
  const { code } = await createInvitation()
  for (let index = 0; index < 30; index++)
    expect((await readInvitation(guesser, `no code ${index}`)).status).toBe(404)
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0
        ? readInvitation(guesser, `0000000${index % 10}`)
        : claim(`1000000${index % 10}`, guesser),
    ),
  )
  expect(guesses.filter(({ status }) => status === 404)).toHaveLength(20)
  for (const reply of guesses.filter(({ status }) => status !== 404))
    expectError(reply, { code: 'RATE_LIMITED' })
  const refused = await readInvitation(guesser, code)
  expectError(refused, { code: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  // Advancing its sandbox clock does not help, because the limit is in real time.
  await guesser.client.advance(3600)
  expectError(await claim(code, guesser), { code: 'RATE_LIMITED' })
  expect((await claim(code)).status).toBe(200)
})
