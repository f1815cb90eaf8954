import { describe, expect, test } from 'vitest'
import { batchReads } from './batched.ts'

/** Reads three keys together. The key `bad` fails with this error. */
async function look(error: Error) {
  const asked: string[][] = []
  const find = batchReads(async (keys: readonly string[]) => {
    asked.push([...keys])
    if (keys.includes('bad')) throw error
    return keys.map((key) => key.toUpperCase())
  })
  const results = await Promise.allSettled(['one', 'bad', 'two'].map(find))
  return { asked, found: results.map((one) => (one.status === 'fulfilled' ? one.value : one.reason)) }
}

describe('keys that share a statement', () => {
  test('each get their own error where the database refuses one', async () => {
    const error = Object.assign(new Error('invalid input'), { code: '22P02' })
    const { asked, found } = await look(error)
    expect(found).toEqual(['ONE', error, 'TWO'])
    expect(asked).toEqual([['one', 'bad', 'two'], ['one'], ['bad'], ['two']])
  })

  test('all fail immediately if it does not answer: no key waits for several timeouts', async () => {
    const error = new Error('Query read timeout')
    const { asked, found } = await look(error)
    expect(found).toEqual([error, error, error])
    expect(asked).toHaveLength(1)
  })
})
