import { describe, expect, test } from 'vitest'
import { batchReads } from './batched.ts'

/** Reads three keys together. Every batch with the key `bad` fails with this error. */
async function readTogether(error: Error) {
  const batches: string[][] = []
  const find = batchReads(async (keys: readonly string[]) => {
    batches.push([...keys])
    if (keys.includes('bad')) throw error
    return keys.map((key) => key.toUpperCase())
  })
  const results = await Promise.allSettled(['one', 'bad', 'two'].map(find))
  return {
    batches,
    found: results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason)),
  }
}

describe('keys read in one statement', () => {
  test('are read separately if the database rejects one of them, so that only this one fails', async () => {
    const error = Object.assign(new Error('invalid input'), { code: '22P02' })
    const { batches, found } = await readTogether(error)
    expect(found).toEqual(['ONE', error, 'TWO'])
    expect(batches).toEqual([['one', 'bad', 'two'], ['one'], ['bad'], ['two']])
  })

  test('all fail after a single timeout if the database does not respond', async () => {
    const error = new Error('Query read timeout')
    const { batches, found } = await readTogether(error)
    expect(found).toEqual([error, error, error])
    expect(batches).toHaveLength(1)
  })
})
