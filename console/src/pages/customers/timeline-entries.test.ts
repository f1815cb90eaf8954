import { describe, expect, test } from 'vitest'
import { type Entry, mergeSources } from './timeline-entries.ts'

const entry = (minute: number): Entry => ({
  id: `${minute}`,
  at: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`,
  title: 'Something',
})
const listMinutes = (entries: readonly Entry[]) => entries.map(({ id }) => Number(id))

describe('a timeline of several sources', () => {
  test('shows all entries newest first if everything was read', () => {
    const merged = mergeSources([
      { entries: [entry(5), entry(1)], hasMore: false },
      { entries: [entry(9), entry(3)], hasMore: false },
    ])
    expect(listMinutes(merged.entries)).toEqual([9, 5, 3, 1])
    expect(merged.hasMore).toBe(false)
  })

  test('omits entries older than the end of a source that has more, so that there are no gaps', () => {
    const merged = mergeSources([
      { entries: [entry(9), entry(7)], hasMore: true },
      { entries: [entry(8), entry(2)], hasMore: false },
    ])
    expect(listMinutes(merged.entries)).toEqual([9, 8, 7])
    expect(merged.hasMore).toBe(true)
  })
})
