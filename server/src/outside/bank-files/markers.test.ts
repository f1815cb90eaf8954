import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestIn, isMarker, markerContent, markerOf } from './markers.ts'

test.each([
  ['{file}.ok', 'A.xml', 'A.xml.ok'],
  ['{stem}.ok', 'A.b.xml', 'A.b.ok'],
  ['{stem}.ok', 'A', 'A.ok'],
  ['done-{file}', 'A.xml', 'done-A.xml'],
])('the marker %s of %s is %s', (name, file, marker) => {
  expect(markerOf({ name }, file)).toBe(marker)
  expect(isMarker({ name }, marker)).toBe(true)
  expect(isMarker({ name }, file)).toBe(false)
})

test('the checksum of a marker is read back, and an incomplete one is ignored', () => {
  const digest = fc.stringMatching(/^[0-9a-f]{64}$/)
  fc.assert(
    fc.property(digest, fc.integer({ min: 0, max: 63 }), (one, length) => {
      const text = markerContent({ name: '{file}.ok', content: 'SHA256' }, 'A.xml', one)
      expect(digestIn(text)).toBe(one)
      expect(digestIn(text.toUpperCase())).toBe(one)
      expect(digestIn(text.slice(0, length))).toBeUndefined()
      expect(digestIn(`${one}0`)).toBeUndefined()
    }),
  )
})

test('a marker without a checksum is empty', () => {
  expect(markerContent({ name: '{file}.ok' }, 'A.xml', 'f'.repeat(64))).toBe('')
})
