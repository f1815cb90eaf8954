import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { listen } from '../../../../../test/ports.testing.ts'
import { startStream } from '../response/encode.ts'
import { closeStalled } from './streams.ts'

/** More data than the socket buffers of both ends can hold. */
function* pieces(): Generator<string> {
  for (let i = 0; i < 300; i++) yield 'x'.repeat(100_000)
}

test('a streamed response closes the connection of a stalled reader and completes for an active one', async () => {
  const answers: ServerResponse[] = []
  const server = createServer((_request, response) => {
    answers.push(response)
    closeStalled(response, 100)
    Readable.from(pieces()).pipe(response)
  })
  const port = await listen(server)
  const ask = () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return socket
  }
  const reading = ask()
  reading.resume()
  await once(server, 'request')
  const idle = ask().pause()
  await once(server, 'request')
  await once(answers[1]!, 'close')
  expect(answers[1]!.writableFinished).toBe(false)
  if (!answers[0]!.writableFinished) await once(answers[0]!, 'finish')
  idle.destroy()
  reading.destroy()
  server.close()
})

test('a streamed response releases its resources if the first piece fails', async () => {
  let isOpen = true
  const pieces = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error('The database is unavailable')),
      return: async () => {
        isOpen = false
        return { done: true, value: undefined } as const
      },
    }),
  }
  const answer = { status: 200, headers: {}, body: '', pieces }
  await expect(startStream(answer, () => {})).rejects.toThrow('The database is unavailable')
  expect(isOpen).toBe(false)
})
