import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const LONG = 60_000

test('turns at a record come in the order of asking, one after the other', async () => {
  const turns = new Turns()
  const seen: string[] = []
  const work = async (name: string, ...records: string[]) => {
    const end = (await turns.take(records, LONG))!
    seen.push(`${name} begins`)
    await Promise.resolve()
    seen.push(`${name} ends`)
    end()
  }
  await Promise.all([work('one', 'a'), work('two', 'b', 'a'), work('three', 'a', 'b')])
  expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
})

test('turns at different records do not wait for each other', async () => {
  const turns = new Turns()
  const end = (await turns.take(['a'], LONG))!
  const other = (await turns.take(['b'], LONG))!
  other()
  end()
  expect(await turns.take(['a', 'b'], LONG)).toBeDefined()
})

test('a turn that does not come in time is abandoned, and those behind it keep theirs', async () => {
  const turns = new Turns()
  const end = (await turns.take(['a'], LONG))!
  expect(await turns.take(['a'], 1)).toBeUndefined()
  const behind = turns.take(['a'], LONG)
  expect(await turns.take(['a'], 1)).toBeUndefined()
  end()
  expect(await behind).toBeDefined()
})
