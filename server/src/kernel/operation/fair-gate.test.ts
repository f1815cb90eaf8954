import { expect, test } from 'vitest'
import { FairGate } from './fair-gate.ts'

/** Operations that the test ends. */
function operations(gate: FairGate) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (platform: string, name: string) =>
    gate.run(platform, () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  return { begun, begin, end: (name: string) => ends.get(name)!() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const SIZE = { atOnceMax: 4, atOnceOfPlatformMax: 3, waitingOfPlatformMax: 5, waitingMax: 8 }

test('a platform leaves room for others, and what waits is let in platform by platform', async () => {
  const { begun, begin, end } = operations(new FairGate(SIZE))
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => begin('a', name))
  all.push(begin('b', 'b1'), begin('b', 'b2'), begin('c', 'c1'))
  await turn()
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1'])
  end('a1')
  await turn()
  expect(begun.slice(4)).toEqual(['a4'])
  end('a2')
  await turn()
  end('a3')
  await turn()
  expect(begun.slice(5)).toEqual(['b2', 'c1'])
  for (const name of ['a4', 'b1', 'b2', 'c1']) end(name)
  await turn()
  expect(begun.slice(7)).toEqual(['a5', 'a6'])
  end('a5')
  end('a6')
  await Promise.all(all)
})

test('beyond what may wait, a platform is refused, and all are where too many wait', async () => {
  const gate = new FairGate(SIZE)
  const { begin, end, begun } = operations(gate)
  const all = Array.from({ length: 8 }, (_, n) => begin('a', `a${n}`))
  expect(() => gate.admit('a')).toThrow(/Nothing was done/)
  await expect(begin('a', 'more')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  gate.admit('b')
  all.push(...Array.from({ length: 4 }, (_, n) => begin('b', `b${n}`)))
  expect(() => gate.admit()).toThrow(/Nothing was done/)
  for (let n = 0; n < 12; n++) {
    await turn()
    end(begun[n]!)
  }
  await Promise.all(all)
  expect(begun).toHaveLength(12)
  gate.admit('a')
})

test('an operation that fails releases its capacity', async () => {
  const gate = new FairGate({ ...SIZE, atOnceMax: 1, atOnceOfPlatformMax: 1 })
  await expect(gate.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate.run('a', async () => 1)).toBe(1)
})
