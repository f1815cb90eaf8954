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

async function invited(body: object = {}, { client, uma }: Side = inviter): Promise<Reply['body']> {
  const reply = await client.post('/invitations', { inviterUma: uma, ...body })
  expect(reply.status).toBe(201)
  return reply.body
}

const claim = (code: string, { client, uma }: Side = invitee) =>
  client.post(`/invitations/${code}/claim`, { inviteeUma: uma })
const cancel = (code: string, { client }: Side = inviter) => client.post(`/invitations/${code}/cancel`)
const read = ({ client }: Side, code: string) => client.get(`/invitations/${code}`)

describe('an invitation', () => {
  test('has its own code, and looks the same to every platform that has the code', async () => {
    const made = await invited({ firstName: 'Grace', amountToSend: 1234 })
    expect(made).toEqual({
      code: expect.stringMatching(UNAMBIGUOUS),
      createdAt: expect.any(String),
      url: `https://invitations.example/${made.code}`,
      inviterUma: inviter.uma,
      status: 'PENDING',
      firstName: 'Grace',
      amountToSend: { amount: 1234, currency: { code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 } },
    })
    expect((await invited()).code).not.toBe(made.code)
    expect((await read(inviter, made.code)).body).toEqual(made)
    expect((await read(invitee, made.code)).body).toEqual(made)
  })

  test('is found however a person types its code', async () => {
    const { code } = await invited()
    const typed = code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')
    expect((await read(invitee, typed)).body.code).toBe(code)
  })

  test('shows the amount in the first currency of the platform if the inviter has no currency', async () => {
    const plain = await newSide(inviter.client)
    const { amountToSend } = await invited({ amountToSend: 5 }, plain)
    expect(amountToSend.currency.code).toBe('USD')
  })

  test('is of a customer of the platform, for the future, and of a positive amount', async () => {
    const { client, uma } = inviter
    const wrong = [
      [{ inviterUma: invitee.uma }, 'INVALID_UMA_ADDRESS', 'inviterUma'],
      [{ inviterUma: 'ada@example.com' }, 'INVALID_UMA_ADDRESS', 'inviterUma'],
      [{ inviterUma: uma, amountToSend: 0 }, 'INVALID_INPUT', 'amountToSend'],
      [{ inviterUma: uma, expiresAt: '2020-01-01T00:00:00Z' }, 'INVALID_INPUT', 'expiresAt'],
    ] as const
    for (const [body, code, field] of wrong)
      expectError(await client.post('/invitations', body), { code, field })
    expect((await client.post('/invitations', { inviterUma: uma.toUpperCase() })).status).toBe(201)
  })

  test("has the platform's URL, and none is made without that setting", async () => {
    const own = await newSide(await newPlatform())
    const { client } = own
    const set = (url: string | null) => client.send('PATCH', '/config', { invitationConfig: { url } })
    expect((await set('https://shop.example/join?code={code}')).body.invitationConfig).toEqual({
      url: 'https://shop.example/join?code={code}',
    })
    const made = await invited({}, own)
    expect(made.url).toBe(`https://shop.example/join?code=${made.code}`)
    for (const url of ['https://shop.example/join', 'http://a.example/{code}', 'https://a:b/{code}'])
      expectError(await set(url), { code: 'INVALID_INPUT', field: 'invitationConfig.url' })
    expect((await set(null)).body).not.toHaveProperty('invitationConfig')
    expect((await client.get('/config')).body).not.toHaveProperty('invitationConfig')
    expectError(await client.post('/invitations', { inviterUma: own.uma }), {
      code: 'INVITATIONS_NOT_CONFIGURED',
    })
    expect((await read(own, made.code)).body.url).toBe(made.url)
  })
})

describe('a claim', () => {
  test('by another platform is reported once to the inviting platform, at its endpoint and by its clock', async () => {
    const own = await newSide(await newPlatform())
    const receiver = await Receiver.of(own.client)
    await own.client.advance(86_400)
    const { code } = await invited({}, own)
    const claimed = await claim(code)
    const { now } = (await own.client.get('/sandbox/clock')).body
    expect(claimed.body).toMatchObject({
      code,
      status: 'CLAIMED',
      inviteeUma: invitee.uma,
      inviterUma: own.uma,
    })
    expect(Math.abs(Date.parse(claimed.body.claimedAt) - Date.parse(now))).toBeLessThan(timeLimit(60_000))
    const told = { type: 'INVITATION.CLAIMED', objectId: code, sequence: 1, data: claimed.body }
    await receiver.until((all) => all.some(({ event }) => event.objectId === code))
    const sent = receiver.received.filter(({ event }) => event.objectId === code)
    expect(sent.map(({ event }) => event)).toMatchObject([told])
    expect(await own.client.events(`&objectId=${code}`)).toMatchObject([told])
    expect(await invitee.client.events(`&objectId=${code}`)).toEqual([])
    expect((await read(own, code)).body).toEqual(claimed.body)
  })

  test('is of a customer of the claiming platform, who is not the inviter', async () => {
    const { code } = await invited()
    const wrong = [
      [invitee.client, inviter.uma],
      [invitee.client, '$nobody@uma.example'],
      [invitee.client, 'nobody'],
      [inviter.client, inviter.uma],
    ] as const
    for (const [client, inviteeUma] of wrong)
      expectError(await client.post(`/invitations/${code}/claim`, { inviteeUma }), {
        code: 'INVALID_UMA_ADDRESS',
        field: 'inviteeUma',
      })
    const neighbour = await newSide(inviter.client)
    expect((await claim(code, neighbour)).status).toBe(200)
  })

  test('of fifty at the same moment succeeds once, also next to a cancellation', async () => {
    const { code } = await invited()
    const replies = await Promise.all(Array.from({ length: 50 }, () => claim(code)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200))
      expectError(reply, { code: 'INVITATION_ALREADY_CLAIMED', field: 'invitationCode' })
    expect(await inviter.client.events(`&objectId=${code}`)).toHaveLength(1)

    const other = (await invited()).code
    const mixed = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? claim(other) : cancel(other))),
    )
    const [won] = mixed.filter(({ status }) => status === 200)
    expect(mixed.filter(({ status }) => status === 200)).toHaveLength(1)
    const told = await inviter.client.events(`&objectId=${other}`)
    expect(told).toHaveLength(won!.body.status === 'CLAIMED' ? 1 : 0)
  })

  test('comes too late for one that is cancelled, or whose inviter was deleted', async () => {
    const { code } = await invited()
    expect((await cancel(code)).body).toMatchObject({ code, status: 'CANCELLED' })
    expectError(await claim(code), { code: 'INVITATION_CANCELLED' })
    expectError(await cancel(code), { code: 'INVITATION_CANCELLED' })
    const leaving = await newSide(await newPlatform())
    const left = await invited({}, leaving)
    expect((await leaving.client.send('DELETE', `/customers/${leaving.id}`)).status).toBeLessThan(300)
    expect((await read(invitee, left.code)).body.status).toBe('CANCELLED')
    expectError(await claim(left.code), { code: 'INVITATION_CANCELLED' })
  })

  test('is refused for an invitation whose platform was reset, like for an unknown code', async () => {
    const own = await newSide(await newPlatform())
    const { code } = await invited({}, own)
    expect((await own.client.post('/sandbox/reset')).status).toBe(200)
    expectError(await claim(code), { code: 'INVITATION_NOT_FOUND', field: 'invitationCode' })
  })
})

test('only the platform that made an invitation can cancel it', async () => {
  const { code } = await invited()
  expectError(await cancel(code, invitee), { code: 'FORBIDDEN' })
  await claim(code)
  expectError(await cancel(code), { code: 'INVITATION_ALREADY_CLAIMED' })
  expectError(await cancel(code, invitee), { code: 'FORBIDDEN' })
})

test('an invitation expires at its time by the clock of its own platform, at that very moment, and stays so', async () => {
  const own = await newSide(await newPlatform())
  const { now } = (await own.client.get('/sandbox/clock')).body
  const at = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString()
  const [soon, later] = [
    await invited({ expiresAt: at(3600) }, own),
    await invited({ expiresAt: at(7200) }, own),
  ]
  expect(soon.expiresAt).toBe(at(3600))
  await invitee.client.advance(7200)
  expect((await read(invitee, soon.code)).body.status).toBe('PENDING')
  await own.client.advance(3600)
  for (const side of [own, invitee]) expect((await read(side, soon.code)).body.status).toBe('EXPIRED')
  expectError(await claim(soon.code), { code: 'INVITATION_EXPIRED', field: 'invitationCode' })
  expectError(await cancel(soon.code, own), { code: 'INVITATION_EXPIRED' })
  expect((await claim(later.code)).status).toBe(200)
  await own.client.advance(7200)
  expect((await read(own, later.code)).body.status).toBe('CLAIMED')
})

test('a platform that tries wrong codes is stopped, for right ones too, and no other platform with it', async () => {
  const guessing = await newSide(await newPlatform())
  const { code } = await invited()
  for (let at = 0; at < 30; at++) expect((await read(guessing, `no code ${at}`)).status).toBe(404)
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      at % 2 === 0 ? read(guessing, `0000000${at % 10}`) : claim(`1000000${at % 10}`, guessing),
    ),
  )
  expect(guesses.filter(({ status }) => status === 404)).toHaveLength(20)
  for (const reply of guesses.filter(({ status }) => status !== 404))
    expectError(reply, { code: 'RATE_LIMITED' })
  const refused = await read(guessing, code)
  expectError(refused, { code: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  // Its own clock does not give it more tries: the limit is in real time.
  await guessing.client.advance(3600)
  expectError(await claim(code, guessing), { code: 'RATE_LIMITED' })
  expect((await claim(code)).status).toBe(200)
})
