import { expect, test } from 'vitest'
import { getTicks } from './ticks.ts'

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [20, [0, 5, 10, 15, 20]],
  [4_100, [0, 2_000, 4_000, 6_000]],
])('the scale of a chart up to %i has few whole steps and includes it', (max, ticks) => {
  expect(getTicks(max)).toEqual(ticks)
})
