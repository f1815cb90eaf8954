import { EVENT_STREAMS_MAX, FEED_BEGINNING } from '@countersign/contract/events/event-stream'
import { Countersign, type PlatformEvent } from '@countersign/sdk'
import { expect, test } from 'vitest'
import { Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { openServer } from '../../worlds/server.testing.ts'

/** Creates an SDK whose `fetch` may break connections. */
function createSdk({ credentials, baseUrl }: Client, fetch = globalThis.fetch): Countersign {
  const { tokenId, clientSecret } = credentials
  return new Countersign({ baseUrl, tokenId, clientSecret, fetch })
}

/** Follows the events until there are enough, without a wait between streams. */
async function followEvents(
  countersign: Countersign,
  options: Parameters<Countersign['followEvents']>[0],
  hasEnough: (events: readonly PlatformEvent[]) => boolean,
): Promise<PlatformEvent[]> {
  const events: PlatformEvent[] = []
  for await (const event of countersign.followEvents({ sleep: async () => {}, ...options })) {
    events.push(event)
    if (hasEnough(events)) break
  }
  return events
}

/** Opens a stream without the SDK. */
async function openStream(client: Client, query = '', headers: Record<string, string> = {}) {
  const ending = new AbortController()
  const response = await fetch(`${client.baseUrl}/events/stream${query}`, {
    headers: { Authorization: client.authorization, ...headers },
    signal: ending.signal,
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  return {
    response,
    /** Reads until the text contains `until`, or to the end of the stream. */
    async readText(until?: string): Promise<string> {
      for (let text = ''; ; ) {
        const { done, value } = await reader.read()
        if (done) return text
        text += value
        if (until !== undefined && text.includes(until)) return text
      }
    },
    end: () => ending.abort(),
  }
}

async function createReader(owner: Client): Promise<Client & { readonly id: string }> {
  const { body } = await owner.post('/tokens', { name: 'Reader', permissions: ['VIEW'] })
  const { platformId } = owner.credentials
  const client = new Client({ platformId, tokenId: body.id, clientSecret: body.clientSecret }, owner.baseUrl)
  return Object.assign(client, { id: body.id as string })
}

test('a follower whose connections keep breaking sees every event once, in the order of the feed', {
  tags: 'smoke',
}, async () => {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const [first] = await client.events()
  let connections = 0
  // Each connection breaks after two chunks.
  const breakingFetch: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    if (!String(args[0]).includes('/events/stream')) return response
    connections += 1
    let chunkCount = 0
    const cutAfterTwo = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        chunkCount += 1
        controller.enqueue(chunk)
        if (chunkCount === 2) controller.error(new Error('cut'))
      },
    })
    return new Response(response.body!.pipeThrough(cutAfterTwo), response)
  }
  const amounts = Array.from({ length: 12 }, (_, index) => index + 1)
  let isPaid = false
  const following = followEvents(createSdk(client, breakingFetch), { after: first.id }, (events) =>
    isPaid ? events.filter(({ type }) => type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED').length >= 12 : false,
  )
  for (const amount of amounts) {
    await fund(client, usd, amount)
    await expect.poll(() => connections).toBeGreaterThan(1)
  }
  isPaid = true
  await fund(client, usd, 1)
  const followedEvents = await following
  const feed: Reply['body'][] = (await client.get(`/events?limit=100&after=${first.id}`)).body.data
  expect(followedEvents.map(({ id }) => id)).toEqual(feed.slice(0, followedEvents.length).map(({ id }) => id))
  expect(followedEvents.length).toBeGreaterThanOrEqual(12)
  // A stream sends events in the form of the list.
  expect(followedEvents.at(-1)).toEqual(feed[followedEvents.length - 1])
})

test('a stream begins with the next event, and sends only the requested types', async () => {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const newest = (await client.events()).at(-1).id
  const stream = await openStream(client, '?types=INVITATION.CLAIMED&types=INTERNAL_ACCOUNT.BALANCE_UPDATED')
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await stream.readText('\n\n')).toBe(`retry: 1000\nid: ${newest}\n\n`)
  await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' })
  await fund(client, usd, 4_711)
  const text = await stream.readText('4711')
  expect(text.match(/^event: .*$/gm)).toEqual(['event: INTERNAL_ACCOUNT.BALANCE_UPDATED'])
  stream.end()
})

test('a stream with Last-Event-ID resumes after that event, whatever the query says', async () => {
  const client = await newPlatform()
  await newCustomer(client)
  const [first, second] = await client.events()
  const stream = await openStream(client, `?after=${second.id}`, { 'Last-Event-ID': first.id })
  expect(await stream.readText('data: ')).toContain(`id: ${second.id}\n`)
  stream.end()
  const stranger = await newPlatform()
  for (const id of [first.id, 'Event:00000000-0000-7000-8000-00000000001a'])
    expectError(await stranger.get(`/events/stream?after=${id}`), { code: 'EVENT_NOT_FOUND', field: 'after' })
  for (const [id, code] of [
    [first.id, 'EVENT_NOT_FOUND'],
    ['no-id', 'INVALID_INPUT'],
  ] as const) {
    const refused = await stranger.send('GET', '/events/stream', undefined, { 'Last-Event-ID': id })
    expectError(refused, { code, field: 'Last-Event-ID' })
    expect(refused.body.message).not.toContain('after')
  }
})

test('a stream that breaks before the first event of a platform resumes from the beginning of the feed', async () => {
  const client = await newPlatform()
  const firstStream = await openStream(client)
  expect(await firstStream.readText('\n\n')).toBe(`retry: 1000\nid: ${FEED_BEGINNING}\n\n`)
  firstStream.end()
  await newCustomer(client)
  const [first] = await client.events()
  const stream = await openStream(client, '', { 'Last-Event-ID': FEED_BEGINNING })
  expect(await stream.readText('data: ')).toContain(`id: ${first.id}\n`)
  stream.end()
  expect((await client.get(`/events?after=${FEED_BEGINNING}`)).body.data[0]).toEqual(first)
})

test('a stream ends with the token that opened it, and sends nothing after that', async () => {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const reader = await createReader(client)
  const stream = await openStream(reader)
  await stream.readText('\n\n')
  expect((await client.send('DELETE', `/tokens/${reader.id}`)).status).toBe(204)
  await fund(client, usd, 100)
  expect(await stream.readText()).toBe('')
})

test('a platform has a limited number of streams, and a stream that ends makes room for another', async () => {
  const client = await newPlatform()
  const streams = await Promise.all(Array.from({ length: EVENT_STREAMS_MAX }, () => openStream(client)))
  expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]))
  const refused = await client.get('/events/stream')
  expectError(refused, { code: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await newPlatform().then(openStream)).response.status).toBe(200)
  streams.pop()!.end()
  let newStream = await openStream(client)
  while (newStream.response.status === 429) newStream = await openStream(client)
  expect(newStream.response.status).toBe(200)
  for (const stream of [...streams, newStream]) stream.end()
})

test("callers that use all streams of a platform do not block another caller's share", async () => {
  const client = await newPlatform()
  const firstReader = await createReader(client)
  const half = EVENT_STREAMS_MAX / 2
  const streams = await Promise.all(
    [client, firstReader].flatMap((caller) => Array.from({ length: half }, () => openStream(caller))),
  )
  const otherReader = await createReader(client)
  const share = Math.floor(EVENT_STREAMS_MAX / 3)
  const otherStreams = await Promise.all(Array.from({ length: share }, () => openStream(otherReader)))
  expect(otherStreams.map(({ response }) => response.status)).toEqual(Array(share).fill(200))
  expectError(await client.get('/events/stream'), { code: 'RATE_LIMITED' })
  for (const stream of [...streams, ...otherStreams]) stream.end()
})

test('a server that closes ends its streams immediately', async () => {
  const server = await openServer()
  const client = await server.newPlatform()
  const stream = await openStream(client)
  expect(await stream.readText('\n\n')).toContain('retry')
  const closing = server.close()
  expect(await stream.readText()).toBe('')
  await closing
})

test('a stream of the latest events covers every type, with the last event of each', async () => {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const [first] = await client.events()
  for (let n = 0; n < 5; n++) await fund(client, usd, 1)
  const feed = await client.events()
  const latest = feed.at(-1)!
  const followedEvents = await followEvents(
    createSdk(client),
    { after: first!.id, latestOnly: true },
    (events) => events.some(({ id }) => id === latest.id),
  )
  expect(new Set(followedEvents.map(({ type }) => type))).toEqual(
    new Set(feed.slice(1).map(({ type }) => type)),
  )
  expect(followedEvents.length).toBeLessThan(feed.length - 1)
  expect(followedEvents.map(({ id }) => id)).toEqual(
    feed.map(({ id }) => id).filter((id) => followedEvents.some((one) => one.id === id)),
  )
})
