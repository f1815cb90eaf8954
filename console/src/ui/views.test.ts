import { describe, expect, test } from 'vitest'
import { getListPath, type View, withoutView, withView } from './views.ts'

const failed: View = { name: 'Failed', to: '/transactions?status=FAILED' }

describe('saved views', () => {
  test('a view replaces only the view with the same name in the same list', () => {
    const other = { name: 'Failed', to: '/events?deliveryStatus=FAILED' }
    const newer = { name: 'Failed', to: '/transactions?status=FAILED&from=2026-01-01' }
    expect(withView([failed, other], newer)).toEqual([other, newer])
  })

  test('a view is removed by its name and list', () => {
    expect(withoutView([failed], { name: 'Failed', to: '/transactions' })).toEqual([])
    expect(withoutView([failed], { name: 'Failed', to: '/cards' })).toEqual([failed])
  })

  test('the list of a view is its path', () => {
    expect(getListPath(failed)).toBe('/transactions')
    expect(getListPath({ to: '/cards' })).toBe('/cards')
  })
})
