import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const LONG = 60_000

test('operations take turns at a record one by one, in the order of their requests', async () => {
  const turns = new Turns()
  const steps: string[] = []
  const work = async (name: string, ...records: string[]) => {
    const end = (await turns.take(records, LONG))!
    steps.push(`${name} begins`)
    await Promise.resolve()
    steps.push(`${name} ends`)
    end()
  }
  await Promise.all([work('one', 'a'), work('two', 'b', 'a'), work('three', 'a', 'b')])
  expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
})

test('operations on different records do not wait for each other', async () => {
  const turns = new Turns()
  const end = (await turns.take(['a'], LONG))!
  const other = (await turns.take(['b'], LONG))!
  other()
  end()
  expect(await turns.take(['a', 'b'], LONG)).toBeDefined()
})

test('an operation that gives up waiting for its turn does not affect the operations behind it', async () => {
  const turns = new Turns()
  const end = (await turns.take(['a'], LONG))!
  expect(await turns.take(['a'], 1)).toBeUndefined()
  const behind = turns.take(['a'], LONG)
  expect(await turns.take(['a'], 1)).toBeUndefined()
  end()
  expect(await behind).toBeDefined()
})
