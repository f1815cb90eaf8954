import { expect, onTestFinished, test } from 'vitest'
import type { Series } from './request-series.ts'
import { SeriesThread } from './series-thread.ts'

/** A thread that responds to each series with its URL, and exits when it gets the URL `exit`. */
const PROGRAM = `
import { parentPort } from 'node:worker_threads'
parentPort.on('message', (message) => {
  if (message.some(([, { url }]) => url === 'exit')) process.exit(1)
  if (message.some(([, { url }]) => url === 'throw')) throw new Error('broken')
  parentPort.postMessage(message.map(([id, { url, requests }]) => [
    id,
    url === 'fails' ? 'no response' : requests.map(() => ({ error: url, startedAfterMs: 0, durationMs: 1 })),
  ]))
})`

function openThread(): SeriesThread {
  const thread = new SeriesThread(new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`))
  onTestFinished(() => thread.stop())
  return thread
}

const seriesTo = (url: string): Series => ({
  url,
  reach: 'any',
  owner: 'Platform:1',
  requests: [{ headers: {}, body: '{}' }],
})

test('each of many parallel webhook series gets its own outcomes', async () => {
  const thread = openThread()
  const urls = Array.from({ length: 100 }, (_, n) => `url-${n}`)
  const outcomes = await Promise.all(urls.map((url) => thread.send(seriesTo(url))))
  expect(outcomes).toEqual(urls.map((error) => [{ error, startedAfterMs: 0, durationMs: 1 }]))
})

test('an unexpected error in one webhook series does not affect the others', async () => {
  const thread = openThread()
  const other = thread.send(seriesTo('other'))
  await expect(thread.send(seriesTo('fails'))).rejects.toThrow('no response')
  expect(await other).toHaveLength(1)
})

test.each([
  ['exit', 'The thread that sends webhooks has ended'],
  ['throw', 'broken'],
])(
  'if the webhook thread ends (%s), its series fail and the next series starts a new thread',
  async (url, message) => {
    const thread = openThread()
    const failed = await Promise.allSettled([thread.send(seriesTo(url)), thread.send(seriesTo('other'))])
    for (const outcome of failed) expect(outcome).toMatchObject({ reason: { message } })
    expect(await thread.send(seriesTo('again'))).toHaveLength(1)
  },
)

test('stopping the webhook thread rejects the series in progress', async () => {
  const thread = openThread()
  const sent = thread.send(seriesTo('fails'))
  const settled = Promise.allSettled([sent])
  await new Promise((resolve) => setImmediate(resolve))
  await thread.stop()
  expect((await settled)[0]?.status).toBe('rejected')
})
